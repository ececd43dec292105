#!/usr/bin/env python3
"""The page of the service for programs, run by Node.js in place of a browser: what it shows of a program whose names are hostile, and what its form sends.

    programs_page.py PAGE
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import re
import shutil
import subprocess
import sys

DESCRIPTION = {"dims": {"rows": [1, 8]}, "texts": {"author": "me"}, "functions": [{
    "name": "sc\u202eale<b>", "inputs": [{"name": "x", "dtype": "F32", "shape": ["rows", 2]}, {"name": "pixels", "dtype": "F32", "shape": [224, 224]},
                                         {"name": "truth", "dtype": "BOOL", "shape": []}], "outputs": [{"name": "y", "dtype": "F32", "shape": ["rows", 2]}]}]}
# Elements have what the page uses of them.
BROWSER = """
const element = kind => ({ kind, children: [], on: {}, appendChild(c) { this.children.push(c); return c; }, replaceChildren() { this.children = []; },
  addEventListener(name, f) { this.on[name] = f; } });
const main = element("main"), sent = [];
globalThis.document = { createElement: element, querySelector: () => main };
globalThis.fetch = async (path, options) => { sent.push([path, options]); return { ok: path !== "/program/lost", text: async () => '{"outputs":{"y":[[9007199254740993]]}}',
  json: async () => path === "/program/lost" ? { error: "the device is lost" } : DESCRIPTION }; };
"""
VISITOR = """
setTimeout(async () => {
  const texts = of => [of.textContent, ...of.children.flatMap(texts)].filter(each => each !== undefined);
  const find = (of, kind) => [...(of.kind === kind ? [of] : []), ...of.children.flatMap(each => find(each, kind))];
  const form = find(main, "form")[0], fields = find(form, "textarea"), first = fields.map(each => each.value);
  fields[0].value = "[[1, 9007199254740993]]", fields[1].value = "[[3]]";
  await form.on.submit({ preventDefault() {} });
  const good = texts(main);
  fields[0].value = "[[1, 2";
  await form.on.submit({ preventDefault() {} });
  console.log(JSON.stringify({ sent, first, good, wrong: texts(form).at(-1), pages: find(main, "section").length }));
}, 20);
"""


def main(page):
    if not shutil.which("node"):
        print("Node.js is not installed")
        return 77
    script = re.search("<script>(.*)</script>", pathlib.Path(page).read_text(encoding="utf-8"), re.DOTALL)[1]
    assert script.count('["PATHS"]') == 1, "the service has no place for the paths"
    program = BROWSER.replace("DESCRIPTION", json.dumps(DESCRIPTION)) + script.replace('["PATHS"]', '["", "/other", "/lost"]') + VISITOR
    done = subprocess.run(["node", "-"], input=program, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["pages"] == 3 and [path for path, _ in seen["sent"]] == ["/program", "/program/other", "/program/lost", "/call"], seen
    assert seen["first"] == ["[[0,0]]", "", "false"], seen["first"]
    assert json.loads(seen["sent"][3][1]["body"]) == {"function": "sc\u202eale<b>", "inputs": {"x": [[1, 9007199254740993]], "pixels": [[3]], "truth": False}}, seen["sent"]
    for text in "sc\\u202eale<b>", "x: F32 [rows, 2]", "gives y: F32 [rows, 2]", "rows is from 1 to 8", "author: me", "other", "[[9007199254740993]]", "the device is lost":
        assert any(text in each for each in seen["good"]), (text, seen["good"])
    assert "\u202e" not in "".join(seen["good"]) and "JSON" in seen["wrong"], seen
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
