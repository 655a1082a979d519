# SPDX-License-Identifier: LGPL-2.1-or-later
"""YOLOv8-seg, YOLO11-seg and end-to-end YOLO26-seg of the package ultralytics, trained for minutes on drawn pictures."""
import os

import numpy as np

os.environ.setdefault("YOLO_OFFLINE", "1")
os.environ.setdefault("YOLO_VERBOSE", "False")
import onnxruntime
import torch
from ultralytics import YOLO
from ultralytics.cfg import get_cfg
from ultralytics.data.augment import LetterBox
from ultralytics.nn.tasks import SegmentationModel

import drawn
import store

HEIGHT, WIDTH = 96, 128  # of the network's input, a multiple of 32


def batch_of(rng, count):
    """Pictures and targets in the form that ultralytics' losses take."""
    images, masks, classes, boxes, indices = [], [], [], [], []
    while len(images) < count:
        image, shapes, kinds = drawn.picture(rng, HEIGHT, WIDTH)
        if not len(shapes):
            continue
        overlap = np.zeros((HEIGHT, WIDTH), np.float32)
        for number, mask in enumerate(shapes):
            overlap[mask] = number + 1
            x1, y1, x2, y2 = drawn.box(mask)
            boxes.append(((x1 + x2) / 2 / WIDTH, (y1 + y2) / 2 / HEIGHT, (x2 - x1) / WIDTH, (y2 - y1) / HEIGHT))
            classes.append(kinds[number])
            indices.append(len(images))
        images.append(image)
        masks.append(overlap)
    semantic = np.zeros((count, HEIGHT, WIDTH), np.int64)
    for i in range(count):
        for number, kind in enumerate(np.array(classes)[np.array(indices) == i]):
            semantic[i][masks[i] == number + 1] = kind
    tensor = torch.from_numpy
    return {
        "img": tensor(np.stack(images).transpose(0, 3, 1, 2).astype(np.float32) / 255),
        "masks": tensor(np.stack(masks)), "cls": tensor(np.array(classes, np.float32)).view(-1, 1),
        "bboxes": tensor(np.array(boxes, np.float32)), "batch_idx": tensor(np.array(indices, np.float32)),
        "sem_masks": tensor(semantic)}


def train(name, steps, seed):
    """A network of the package's own description, with `steps` steps of training on drawn pictures."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    yolo = YOLO(f"{name}.yaml", task="segment")
    settings, model = yolo.model.args, SegmentationModel(f"{name}.yaml", nc=len(drawn.CLASSES), verbose=False)
    model.args = get_cfg(overrides={"overlap_mask": True, "epochs": steps})
    model.names = dict(enumerate(drawn.CLASSES))
    yolo.model = model
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=steps, pct_start=.2)
    model.train()
    for step in range(steps):
        loss, _ = model(batch_of(rng, 16))
        optimizer.zero_grad()
        loss.sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10)
        optimizer.step()
        schedule.step()
        if step % 50 == 0:
            print(f"{name} step {step}: loss {loss.detach().sum().item():.2f}", flush=True)
    model.args, model.task = settings, "segment"
    return yolo


def run(path, image):
    """The outputs of the exported network for a picture, letterboxed by the package."""
    boxed = LetterBox((HEIGHT, WIDTH), auto=False)(image=image[..., ::-1])
    tensor = np.ascontiguousarray(boxed[..., ::-1].transpose(2, 0, 1)[None]).astype(np.float32) / 255
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return tensor, dict(zip(names, session.run(None, {session.get_inputs()[0].name: tensor})))


def judge(predictor, outputs, tensor, case):
    """The package's own post-processing of the outputs, for a picture of the case's size."""
    predictor.args.conf, predictor.args.iou = case["conf"], case["iou"]
    predictor.args.max_det, predictor.args.agnostic_nms = case["max_det"], case["agnostic"]
    predictor.args.retina_masks = case["native"]
    height, width = case["picture"]
    predictor.batch = (["drawn.png"], None, None)
    result = predictor.postprocess([torch.from_numpy(outputs[name].astype(np.float32)) for name in ("output0", "output1")],
                                   torch.from_numpy(tensor), [np.zeros((height, width, 3), np.uint8)])[0]
    shape = (height, width) if case["native"] else (HEIGHT, WIDTH)
    masks = np.zeros((0, *shape), bool) if result.masks is None else result.masks.data.numpy().astype(bool)
    data = result.boxes.data.numpy()
    return {"boxes": data[:, :4], "scores": data[:, 4], "classes": data[:, 5].astype(np.int32), "masks": masks}


def cases_of(size):
    """What is asked of one set of outputs: sizes of the picture, thresholds, both kinds of masks."""
    usual = {"picture": list(size), "conf": .25, "iou": .7, "max_det": 300, "agnostic": False, "native": True}
    changes = ({}, {"native": False}, {"conf": .05, "iou": .3}, {"conf": .05, "iou": .3, "agnostic": True},
               {"conf": .05, "max_det": 2},
               {"conf": .999999},  # nothing is left
               {"picture": [96, 128]}, {"picture": [24, 32]},  # no padding; the prototypes' own size
               {"picture": [61, 203]}, {"picture": [203, 61]}, {"picture": [250, 130]}, {"picture": [184, 256]})
    return [{**usual, **change} for change in changes]


def make(folder, name, end2end, dtype, steps, seed, work):
    """Trains, exports, runs and stores one network."""
    yolo = train(name, steps, seed)
    yolo.model.pt_path = os.path.join(work, f"{name}.pt")  # the .onnx is written beside it
    path = yolo.export(format="onnx", imgsz=(HEIGHT, WIDTH), **({"nms": False} if end2end else {}))
    rng = np.random.default_rng(seed + 1)
    image, _, _ = drawn.picture(rng, 150, 230, 5)
    tensor, outputs = run(path, image)
    exported = {key: [list(value.shape), str(value.dtype)] for key, value in outputs.items()}
    exporting = YOLO(path, task="segment")
    whole = exporting.predict(image[..., ::-1], imgsz=(HEIGHT, WIDTH), conf=.05, iou=.7, retina_masks=True, verbose=False)[0]
    if end2end:  # rows of objects, sorted by score; those that follow are noise
        kept = outputs["output0"][:, :40]
    else:  # columns are candidates; all that could be found at all, and some others
        score = outputs["output0"][0, 4:4 + len(drawn.CLASSES)].max(0)
        keep = np.flatnonzero((score > .04) | (np.arange(len(score)) % 16 == 0))
        kept = outputs["output0"][:, :, keep]
    outputs = {"output0": np.ascontiguousarray(kept).astype(dtype), "output1": outputs["output1"].astype(dtype)}
    cases = cases_of(image.shape[:2])
    results = [judge(exporting.predictor, outputs, tensor, case) for case in cases]
    if dtype == np.float32:  # the whole way through the package gives the same
        again = judge(exporting.predictor, outputs, tensor, {**cases[0], "conf": .05})
        assert np.array_equal(again["masks"], whole.masks.data.numpy().astype(bool))
        assert np.allclose(again["boxes"], whole.boxes.xyxy.numpy())
    header = {"network": name, "end2end": end2end, "input": [HEIGHT, WIDTH], "classes": list(drawn.CLASSES),
              "exported": exported,
              "reference": "SegmentationPredictor.postprocess of ultralytics: utils.nms.non_max_suppression, "
                           "utils.ops.scale_boxes, utils.ops.process_mask_native (native) or utils.ops.process_mask",
              "versions": store.versions("ultralytics", "torch", "torchvision", "onnx", "onnxruntime")}
    store.save(os.path.join(folder, f"{name}{'-end2end' if end2end else ''}.npz"), header, outputs, cases, results)


def make_all(folder, work, steps=300):
    make(folder, "yolov8n-seg", False, np.float32, steps, 1, work)
    make(folder, "yolo11n-seg", False, np.float32, steps, 2, work)
    make(folder, "yolo26n-seg", True, np.float16, steps, 3, work)
