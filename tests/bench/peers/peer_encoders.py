"""Encoders of encoders.cc with PyTorch's own layers: on a GPU in bf16, each captured as one graph, as written and by the compiler.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

from peer_networks import Network

# layers, width, heads, batch, places, trained
CASES = {
    "encoder.ask.768": (12, 768, 12, 1, 128, False),
    "encoder.ask.1": (6, 384, 12, 1, 128, False),
    "encoder.ask.8": (6, 384, 12, 8, 128, False),
    "encoder.train.4": (4, 1024, 16, 4, 128, True),
    "encoder.train.32": (4, 1024, 16, 32, 512, True),
}


class Encoder(Network):
    """One case, as networks are."""

    def __init__(self, torch, device, large, layers, width, heads, batch, places, trains, compiled=lambda function: function):
        self.torch, self.large = torch, large
        self.launches = 2 if not large else 10 if batch > 8 else 50
        if not large:
            layers, width, heads, batch, places = 1, 64, 4, 2, 16
        dtype = torch.bfloat16 if large else torch.float32
        layer = torch.nn.TransformerEncoderLayer(width, heads, 4 * width, 0.1, "gelu", batch_first=True)
        net = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).to(device, dtype)
        x = torch.randn(batch, places, width, device=device, dtype=dtype)
        if trains:
            optimizer = torch.optim.SGD(net.parameters(), lr=1e-4, fused=large)
            loss_of = compiled(lambda x: net(x).square().mean())

            def step():
                optimizer.zero_grad(set_to_none=True)
                loss_of(x).backward()
                optimizer.step()

        else:
            net.eval()
            asked = compiled(net)

            def step():
                with torch.no_grad():
                    self.output = asked(x)

        self.step = step
