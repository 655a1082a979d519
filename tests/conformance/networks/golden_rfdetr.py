# SPDX-License-Identifier: LGPL-2.1-or-later
"""RF-DETR-seg of the package rfdetr: a small one, taught a single drawn picture."""
import os
import shutil

import numpy as np

os.environ.setdefault("HF_HUB_OFFLINE", "1")
import onnxruntime
import torch
import torch.nn.functional as F
from rfdetr import RFDETRSegNano
from rfdetr.models.postprocess import PostProcess
from rfdetr.utilities.box_ops import box_cxcywh_to_xyxy, generalized_box_iou

import drawn
import store

HEIGHT, WIDTH = 144, 192  # of the network's input
QUERIES = 16
MEAN, DEVIATION = np.array((.485, .456, .406), np.float32), np.array((.229, .224, .225), np.float32)


def prepare(image):
    """The picture as RFDETR.predict() gives it to the network: stretched to its size, no padding."""
    tensor = torch.from_numpy(image.transpose(2, 0, 1).astype(np.float32) / 255)
    tensor = F.interpolate(tensor[None], (HEIGHT, WIDTH), mode="bilinear", align_corners=False, antialias=False)
    return ((tensor.numpy() - MEAN[:, None, None]) / DEVIATION[:, None, None]).astype(np.float32)


def loss_of(output, boxes, classes, masks):
    """Each object is given to the query whose box is nearest, once."""
    predicted, logits, fields = output["pred_boxes"][0], output["pred_logits"][0], output["pred_masks"][0]
    cost = torch.cdist(predicted.detach(), boxes, p=1)
    loss, target = 0, torch.zeros_like(logits)
    for number in range(len(boxes)):
        query = int(cost[:, number].argmin())
        cost[query] = 1e9
        target[query, classes[number]] = 1
        overlap = generalized_box_iou(box_cxcywh_to_xyxy(predicted[query][None]), box_cxcywh_to_xyxy(boxes[number][None]))
        loss = loss + 5 * F.l1_loss(predicted[query], boxes[number]) + (1 - overlap).sum()
        loss = loss + 5 * F.binary_cross_entropy_with_logits(fields[query], masks[number])
    return loss + 4 * F.binary_cross_entropy_with_logits(logits, target)


def train(steps, seed, image, masks, classes):
    torch.manual_seed(seed)
    network = RFDETRSegNano(pretrain_weights=None, device="cpu", num_classes=len(drawn.CLASSES), num_queries=QUERIES,
                            num_select=QUERIES)
    model = network.model.model.eval()
    height, width = image.shape[:2]
    boxes = np.array([drawn.box(mask) for mask in masks])
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2 / (width, height)
    boxes = torch.tensor(np.hstack((centres, (boxes[:, 2:] - boxes[:, :2]) / (width, height))), dtype=torch.float32)
    small = F.interpolate(torch.tensor(masks[None], dtype=torch.float32), (HEIGHT // 4, WIDTH // 4), mode="area")[0]
    tensor = torch.from_numpy(prepare(image))
    heads = [value for name, value in model.named_parameters()
             if name.split(".")[0] in ("class_embed", "bbox_embed", "segmentation_head")]
    model.requires_grad_(False)
    for value in heads:
        value.requires_grad_(True)
    optimizer = torch.optim.AdamW(heads, lr=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=steps, pct_start=.1)
    for step in range(steps):
        loss = loss_of(model(tensor), boxes, classes, small)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(heads, 1)
        optimizer.step()
        schedule.step()
        if step % 20 == 0:
            print(f"rfdetr step {step}: loss {loss.item():.3f}", flush=True)
    return network


def make_all(folder, work, steps=160, seed=4):
    image, masks, classes = drawn.picture(np.random.default_rng(seed), 170, 240, 6)
    network = train(steps, seed, image, masks, classes)
    network.export(output_dir=os.path.join(work, "rfdetr"), shape=(HEIGHT, WIDTH), verbose=False)
    path = next(entry.path for entry in os.scandir(os.path.join(work, "rfdetr")) if entry.name.endswith(".onnx"))
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    outputs = dict(zip(names, session.run(None, {session.get_inputs()[0].name: prepare(image)})))
    outputs = {key: value.astype(np.float32) for key, value in outputs.items()}
    shutil.rmtree(os.path.join(work, "rfdetr"))

    tensors = {"pred_boxes": "dets", "pred_logits": "labels", "pred_masks": "masks"}
    tensors = {key: torch.from_numpy(outputs[name]) for key, name in tensors.items()}
    cases, results = [], []
    for size, threshold, rounded in (((170, 240), .5, False), ((170, 240), .02, False), ((170, 240), .02, True),
                                     ((170, 240), .999999, False), ((61, 203), .3, False), ((203, 61), .3, False),
                                     ((36, 48), .3, False), ((20, 30), .3, False)):
        logits = torch.round(tensors["pred_logits"] * 2) / 2 if rounded else tensors["pred_logits"]  # equal scores
        given = {**tensors, "pred_logits": logits}
        result = PostProcess(num_select=QUERIES)(given, torch.tensor([size]), score_threshold=threshold)[0]
        cases.append({"picture": list(size), "threshold": threshold, "num_select": QUERIES, "rounded": rounded})
        results.append({"boxes": result["boxes"].numpy(), "scores": result["scores"].numpy(),
                        "classes": result["labels"].numpy().astype(np.int32), "masks": result["masks"][:, 0].numpy()})
    header = {"network": "rf-detr-seg-nano", "input": [HEIGHT, WIDTH], "classes": list(drawn.CLASSES),
              "exported": {key: [list(value.shape), str(value.dtype)] for key, value in outputs.items()},
              "reference": "rfdetr.models.postprocess.PostProcess",
              "versions": store.versions("rfdetr", "torch", "torchvision", "onnx", "onnxruntime")}
    store.save(os.path.join(folder, "rfdetr-seg.npz"), header, outputs, cases, results)
