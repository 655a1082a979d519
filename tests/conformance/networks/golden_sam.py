# SPDX-License-Identifier: LGPL-2.1-or-later
"""SAM of the package segment-anything: a small one, whose decoder is taught a drawn picture's shapes from a point in each."""
import os
from functools import partial

import numpy as np
import onnxruntime
import torch
import torch.nn.functional as F
from segment_anything.modeling import ImageEncoderViT, MaskDecoder, PromptEncoder, Sam, TwoWayTransformer
from segment_anything.utils.onnx import SamOnnxModel
from segment_anything.utils.transforms import ResizeLongestSide

import drawn
import store


def build(size, embed=64):
    """The network of segment_anything.build_sam, smaller: an input of size x size, masks of size / 4."""
    grid = size // 16
    return Sam(
        image_encoder=ImageEncoderViT(
            depth=2, embed_dim=embed, img_size=size, mlp_ratio=4, norm_layer=partial(torch.nn.LayerNorm, eps=1e-6), num_heads=2,
            patch_size=16, qkv_bias=True, use_rel_pos=True, global_attn_indexes=[1], window_size=14, out_chans=embed),
        prompt_encoder=PromptEncoder(embed_dim=embed, image_embedding_size=(grid, grid), input_image_size=(size, size),
                                     mask_in_chans=16),
        mask_decoder=MaskDecoder(
            num_multimask_outputs=3, transformer=TwoWayTransformer(depth=2, embedding_dim=embed, mlp_dim=128, num_heads=4),
            transformer_dim=embed, iou_head_depth=3, iou_head_hidden_dim=64),
        pixel_mean=[123.675, 116.28, 103.53], pixel_std=[58.395, 57.12, 57.375])


def prepare(sam, image):
    """The picture as SamPredictor gives it to the network, and its size within the padded input."""
    resized = ResizeLongestSide(sam.image_encoder.img_size).apply_image(image)
    tensor = torch.from_numpy(resized.transpose(2, 0, 1).astype(np.float32))
    return sam.preprocess(tensor)[None], tensor.shape[1:]


def point_in(mask, scale):
    """A point well inside of the mask, in the input's pixels."""
    inside, last = mask, mask
    while inside.any():
        last, inside = inside, inside[1:-1, 1:-1] & inside[:-2, 1:-1] & inside[2:, 1:-1] & inside[1:-1, :-2] & inside[1:-1, 2:]
        inside = np.pad(inside, 1)
    y, x = np.argwhere(last)[0]
    return (x + .5) * scale[1], (y + .5) * scale[0]


def train(sam, steps, tensor, points, targets):
    optimizer = torch.optim.AdamW(sam.parameters(), lr=1e-3)
    for step in range(steps):
        features = sam.image_encoder(tensor)
        sparse, dense = sam.prompt_encoder(points=(points[:, None], torch.ones(len(points), 1)), boxes=None, masks=None)
        masks, scores = sam.mask_decoder.predict_masks(
            image_embeddings=features, image_pe=sam.prompt_encoder.get_dense_pe(), sparse_prompt_embeddings=sparse,
            dense_prompt_embeddings=dense)
        truth = targets[:, None].expand_as(masks)
        with torch.no_grad():
            overlap = ((masks > 0) & (truth > .5)).sum((2, 3)) / ((masks > 0) | (truth > .5)).sum((2, 3)).clamp(min=1)
        loss = 5 * F.binary_cross_entropy_with_logits(masks, truth) + F.mse_loss(scores, overlap)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(sam.parameters(), 1)
        optimizer.step()
        if step % 20 == 0:
            print(f"sam step {step}: loss {loss.item():.3f}", flush=True)


def export(sam, path):
    """As scripts/export_onnx_model.py of segment-anything does."""
    embed, grid = sam.prompt_encoder.embed_dim, sam.prompt_encoder.image_embedding_size
    inputs = {
        "image_embeddings": torch.randn(1, embed, *grid), "point_coords": torch.randint(0, 64, (1, 5, 2)).float(),
        "point_labels": torch.randint(0, 4, (1, 5)).float(), "mask_input": torch.randn(1, 1, *(4 * side for side in grid)),
        "has_mask_input": torch.tensor([1.]), "orig_im_size": torch.tensor([150., 225.])}
    torch.onnx.export(
        SamOnnxModel(sam, return_single_mask=False), tuple(inputs.values()), path, opset_version=17, dynamo=False,
        input_names=list(inputs), output_names=["masks", "iou_predictions", "low_res_masks"],
        dynamic_axes={"point_coords": {1: "num_points"}, "point_labels": {1: "num_points"}})
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def make(folder, work, name, size, picture, objects, dtype, steps, seed):
    torch.manual_seed(seed)
    sam = build(size)
    image, shapes, _ = drawn.picture(np.random.default_rng(seed), *picture, 4)
    tensor, inner = prepare(sam, image)
    points = torch.tensor([point_in(mask, np.array(inner) / picture) for mask in shapes], dtype=torch.float32)
    padded = np.zeros((len(shapes), size, size), np.float32)
    resized = F.interpolate(torch.tensor(shapes[None], dtype=torch.float32), tuple(inner), mode="bilinear", align_corners=False)[0]
    padded[:, :inner[0], :inner[1]] = resized.numpy()
    train(sam, steps, tensor, points, F.interpolate(torch.from_numpy(padded)[None], (size // 4, size // 4), mode="area")[0])
    sam.eval()
    session = export(sam, os.path.join(work, f"{name}.onnx"))
    with torch.no_grad():
        features = sam.image_encoder(tensor).numpy()
    outputs, full = {"iou_predictions": [], "low_res_masks": []}, []
    for point in points[:objects]:
        # without a box the decoder is given a second point that says so
        coords = np.array([[point.numpy(), (0, 0)]], np.float32)
        got = session.run(None, {
            "image_embeddings": features, "point_coords": coords, "point_labels": np.array([[1, -1]], np.float32),
            "mask_input": np.zeros((1, 1, size // 4, size // 4), np.float32), "has_mask_input": np.zeros(1, np.float32),
            "orig_im_size": np.array(picture, np.float32)})
        full.append(got[0][0] > 0)
        outputs["iou_predictions"].append(got[1][0])
        outputs["low_res_masks"].append(got[2][0])
    outputs = {key: np.array(value).astype(dtype) for key, value in outputs.items()}
    if size > 256:  # one mask is enough
        best = int(outputs["iou_predictions"][0].argmax())
        outputs = {key: value[:, best:best + 1] for key, value in outputs.items()}
    cases, results = [], []
    for other in (picture, (61, 203), (203, 61), (size, size), (size // 4, size // 4), (picture[0] * 3 + 1, picture[1] * 3 + 1)):
        with torch.no_grad():
            masks = sam.postprocess_masks(torch.from_numpy(outputs["low_res_masks"].astype(np.float32)),
                                          ResizeLongestSide.get_preprocess_shape(*other, size), other)
        cases.append({"picture": list(other)})
        results.append({"masks": (masks > sam.mask_threshold).numpy()})
    if dtype == np.float32:
        print("pixels that the ONNX model and torch tell apart:", (results[0]["masks"] != np.array(full)).sum())
    header = {"network": "sam", "input": [size, size],
              "exported": {output.name: [str(side) for side in output.shape] for output in session.get_outputs()},
              "reference": "segment_anything.modeling.Sam.postprocess_masks, > mask_threshold (0)",
              "versions": {**store.versions("torch", "torchvision", "onnx", "onnxruntime"), "segment-anything":
                           store.versions("segment-anything")["segment-anything"]}}
    store.save(os.path.join(folder, f"{name}.npz"), header, outputs, cases, results)


def make_all(folder, work, steps=200, seed=6):
    make(folder, work, "sam-small", 256, (150, 225), 2, np.float32, steps, seed)
    make(folder, work, "sam", 1024, (120, 90), 1, np.float16, steps // 4, seed + 1)
