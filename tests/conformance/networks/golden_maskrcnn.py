# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mask R-CNN of torchvision, taught a few drawn pictures; the grids of 28 x 28 before they are pasted, and the pasted masks."""
import os

import numpy as np
import onnxruntime
import torch
import torch.nn.functional as F
from torchvision.models.detection import MaskRCNN
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.backbone_utils import resnet_fpn_backbone
from torchvision.models.detection.roi_heads import paste_masks_in_image
from torchvision.models.detection.transform import resize_boxes

import drawn
import store

OBJECTS = 14


class Grids(torch.nn.Module):
    """The network without its last step: boxes in pixels of the resized input, and grids."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, image):
        images, _ = self.network.transform([image])
        features = self.network.backbone(images.tensors)
        proposals, _ = self.network.rpn(images, features)
        found, _ = self.network.roi_heads(features, proposals, images.image_sizes)
        return found[0]["boxes"], found[0]["labels"], found[0]["scores"], found[0]["masks"]


def tensor_of(image):
    return torch.from_numpy(image.transpose(2, 0, 1).astype(np.float32) / 255)


def target_of(masks, classes):
    return {"boxes": torch.tensor(np.array([drawn.box(mask) for mask in masks]), dtype=torch.float32),
            "labels": torch.tensor(classes + 1), "masks": torch.tensor(masks, dtype=torch.uint8)}


def train(steps, seed, pictures):
    torch.manual_seed(seed)
    backbone = resnet_fpn_backbone(backbone_name="resnet18", weights=None, norm_layer=torch.nn.BatchNorm2d, trainable_layers=5)
    anchors = AnchorGenerator(tuple((side,) for side in (16, 32, 64, 96, 128)), ((.5, 1., 2.),) * 5)
    network = MaskRCNN(backbone, len(drawn.CLASSES) + 1, min_size=160, max_size=320, rpn_anchor_generator=anchors,
                       rpn_batch_size_per_image=64, box_batch_size_per_image=64, box_detections_per_img=OBJECTS)
    optimizer = torch.optim.AdamW(network.parameters(), lr=5e-4)
    images = [tensor_of(image) for image, _, _ in pictures]
    targets = [target_of(masks, classes) for _, masks, classes in pictures]
    network.train()
    for step in range(steps):
        losses = network(images, targets)
        loss = sum(losses.values())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5)
        optimizer.step()
        if step % 20 == 0:
            print(f"maskrcnn step {step}: loss {loss.item():.3f}", flush=True)
    for module in network.modules():  # the statistics of so few steps say little: take them of the pictures
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = None
            module.reset_running_stats()
    with torch.no_grad():
        for _ in range(4):
            network(images, targets)
    return network.eval()


def sampled(masks, boxes, size):
    """The masks as grid_sample() of a box's grid gives them, zero outside: what detectron2 and mmdetection do."""
    height, width = size
    x1, y1, x2, y2 = boxes[:, :, None].unbind(1)
    x = (torch.arange(width) + .5 - x1) / (x2 - x1) * 2 - 1
    y = (torch.arange(height) + .5 - y1) / (y2 - y1) * 2 - 1
    grid = torch.stack((x[:, None, :].expand(-1, height, -1), y[:, :, None].expand(-1, -1, width)), 3)
    return F.grid_sample(masks, grid, align_corners=False)[:, 0] >= .5


def make_all(folder, work, steps=70, seed=5):
    rng = np.random.default_rng(seed)
    pictures = [drawn.picture(rng, 150, 220, 5) for _ in range(4)]
    network = train(steps, seed, pictures)
    image = tensor_of(pictures[0][0])
    size = image.shape[1:]
    with torch.no_grad():
        whole = network([image])[0]
        inner = network.transform([image])[0].image_sizes[0]
    path = os.path.join(work, "maskrcnn.onnx")
    names = ["boxes", "labels", "scores", "masks"]
    torch.onnx.export(Grids(network).eval(), (image,), path, opset_version=17, dynamo=False,
                      input_names=["image"], output_names=names)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    outputs = dict(zip(names, session.run(None, {"image": image.numpy()})))
    assert len(outputs["boxes"]) == len(whole["boxes"])
    boxes, grids = torch.from_numpy(outputs["boxes"]), torch.from_numpy(outputs["masks"])
    cases, results = [], []
    for picture, threshold in ((tuple(size), .05), (tuple(size), .5), (tuple(size), .9999999), ((400, 587), .3), ((37, 55), .3)):
        keep = outputs["scores"] > threshold
        scaled = resize_boxes(boxes[keep], inner, picture)
        pasted = paste_masks_in_image(grids[keep], scaled, picture)[:, 0]
        cases.append({"picture": list(picture), "input": list(inner), "threshold": threshold})
        results.append({"boxes": scaled.numpy(), "scores": outputs["scores"][keep],
                        "classes": outputs["labels"][keep].astype(np.int32),
                        "masks": (pasted > .5).numpy(), "sampled": sampled(grids[keep], scaled, picture).numpy()})
    pasted = results[0]["masks"]
    theirs = (whole["masks"][:, 0] > .5).numpy()[whole["scores"].numpy() > .05]
    assert pasted.shape == theirs.shape
    print("pixels that onnxruntime and torch tell apart:", (pasted != theirs).sum())
    header = {"network": "maskrcnn", "classes": ["background", *drawn.CLASSES],
              "exported": {key: [list(value.shape), str(value.dtype)] for key, value in outputs.items()},
              "reference": "masks: torchvision.models.detection.roi_heads.paste_masks_in_image, > .5; sampled: torch's grid_sample at "
                           "(pixel + .5 - x1) / (x2 - x1) * 2 - 1, >= .5; boxes: torchvision.models.detection.transform.resize_boxes",
              "versions": store.versions("torch", "torchvision", "onnx", "onnxruntime")}
    store.save(os.path.join(folder, "maskrcnn.npz"), header, outputs, cases, results)
