"""Networks of networks.cc with PyTorch: ResNet-50, alone and under a feature pyramid, asked and trained. On a GPU in f16 with
channels last, each captured as one graph, as written and by the compiler; normalisation folded into convolutions where the
network is asked.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

# batch, height, width, trained, pyramid, and whether it has f32 images and a loss scaler
CASES = {
    "resnet.ask.1": (1, 224, 224, False, False),
    "resnet.ask.8": (8, 224, 224, False, False),
    "resnet.ask.128": (128, 224, 224, False, False),
    "resnet.train.32": (32, 224, 224, True, False),
    "resnet.train.256": (256, 224, 224, True, False),
    "resnet.mixed.32": (32, 224, 224, True, False, True),
    "fpn.ask.1": (1, 800, 1344, False, True),
    "fpn.ask.2": (2, 800, 1344, False, True),
    "fpn.train.1": (1, 800, 1344, True, True),
    "fpn.train.2": (2, 800, 1344, True, True),
}
LOSS_SCALE = 128


def make_network(torch, large, pyramid):
    nn, functional = torch.nn, torch.nn.functional
    width, classes, blocks = (64, 1000, (3, 4, 6, 3)) if large else (8, 10, (1, 1, 1, 1))

    def convolution(inputs, outputs, size, stride=1):
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs)
        )

    class Block(nn.Module):
        def __init__(self, inputs, inner, stride):
            super().__init__()
            self.a, self.b, self.c = convolution(inputs, inner, 1), convolution(inner, inner, 3, stride), convolution(inner, 4 * inner, 1)
            self.shortcut = convolution(inputs, 4 * inner, 1, stride) if inputs != 4 * inner or stride != 1 else nn.Identity()

        def forward(self, x):
            y = functional.relu(self.a(x), inplace=True)
            y = functional.relu(self.b(y), inplace=True)
            return functional.relu(self.c(y) + self.shortcut(x), inplace=True)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = convolution(3, width, 7, 2)
            self.pool = nn.MaxPool2d(3, 2, 1)
            stages, inputs = [], width
            for stage, count in enumerate(blocks):
                inner = width << stage
                each = []
                for i in range(count):
                    each.append(Block(inputs, inner, 2 if i == 0 and stage > 0 else 1))
                    inputs = 4 * inner
                stages.append(nn.Sequential(*each))
            self.stages = nn.ModuleList(stages)
            if pyramid:
                self.lateral = nn.ModuleList(nn.Conv2d(4 * width << s, 4 * width, 1) for s in range(4))
                self.level = nn.ModuleList(nn.Conv2d(4 * width, 4 * width, 3, 1, 1) for _ in range(4))
            else:
                self.scores = nn.Linear(inputs, classes)

        def forward(self, x):
            x = self.pool(functional.relu(self.stem(x), inplace=True))
            ends = []
            for stage in self.stages:
                x = stage(x)
                ends.append(x)
            if not pyramid:
                return [self.scores(x.mean((2, 3)))]
            levels, above = [None] * 4, None
            for s in reversed(range(4)):
                total = self.lateral[s](ends[s])
                if above is not None:
                    total = total + functional.interpolate(above, size=total.shape[2:], mode="nearest")
                levels[s], above = self.level[s](total), total
            return [*levels, functional.max_pool2d(levels[3], 1, 2)]

    return Net()


class Network:
    """One case, of which steps can be run; capture() makes launch(), which runs one, and `launches` of it one behind the other
    are timed together. `compiled`, of a function, is what runs in its place."""

    def __init__(self, torch, device, large, batch, height, width, trains, pyramid, mixed=False, compiled=lambda function: function):
        torch.backends.cudnn.benchmark = True
        self.torch, self.large = torch, large
        self.launches = 2 if not large else 10 if batch > 8 else 50
        kind = device.type
        dtype = torch.float16 if large else torch.float32
        net = make_network(torch, large, pyramid).to(device).to(memory_format=torch.channels_last)
        batch, height, width = (batch, height, width) if large else (min(batch, 2), 32, 32)
        x = torch.randn(batch, 3, height, width, device=device, dtype=torch.float32 if mixed else dtype).to(memory_format=torch.channels_last)
        labels = torch.randint(0, 10, (batch,), device=device)
        if trains:
            optimizer = torch.optim.SGD(net.parameters(), lr=1e-4, momentum=0.9, weight_decay=1e-4, fused=mixed or None)
            scaler = torch.amp.GradScaler(kind, init_scale=1024) if mixed else None

            def loss_of(x):
                with torch.autocast(kind, torch.float16, enabled=large or mixed, cache_enabled=False):
                    outputs = net(x)
                if pyramid:
                    return sum(each.float().square().mean() for each in outputs)
                return torch.nn.functional.cross_entropy(outputs[0].float(), labels)

            loss_of = compiled(loss_of)

            def step():
                optimizer.zero_grad(set_to_none=True)
                loss = loss_of(x)
                if mixed:
                    scaler.scale(loss).backward()
                    scaler.step(optimizer)
                    scaler.update()
                else:
                    (loss * LOSS_SCALE).backward()
                    torch._foreach_mul_([each.grad for each in net.parameters()], 1 / LOSS_SCALE)
                    optimizer.step()

        else:
            net.eval()
            for module in list(net.modules()):
                if isinstance(module, torch.nn.Sequential) and len(module) == 2 and isinstance(module[1], torch.nn.BatchNorm2d):
                    module[0] = torch.nn.utils.fusion.fuse_conv_bn_eval(module[0], module[1])
                    module[1] = torch.nn.Identity()
            net = net.to(dtype)
            asked = compiled(net)

            def step():
                with torch.no_grad():
                    self.outputs = asked(x)

        self.step = step

    def first(self):
        """The first steps, which try and compile, where the capture will be."""
        if not self.large:
            self.step()
            return
        torch = self.torch
        self.side = torch.cuda.Stream()
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            for _ in range(3):
                self.step()
        torch.cuda.synchronize()

    def capture(self):
        if not self.large:
            self.launch = self.step
            return
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph, stream=self.side):
            self.step()
        self.launch = graph.replay
