"""What a tool call does to pictures, in the words of the field: crop, rotate, threshold, measure, …

A visual tool is its own operation. For Python code it is read off the names of the functions that the code calls, by a
plain table; the code is parsed and never run. OUR assumption: a name tells what a function does. So code that does the
same without calling a function by a telling name (a threshold written as `gray < 80`) is not recognised; cutting with
slices (`pixels[10:90, 20:60]`) is, as `crop`.
"""

from __future__ import annotations

import ast
import threading
import warnings

import msgspec

from beholder.sample import ToolCall
from beholder.tools.arguments import MalformedArguments, read_arguments
from beholder.tools.text_protocol import PYTHON

UNPARSED = "unparsed"
"""The operation of code that is no Python (or of arguments that hold no code): what it would do is not known."""

LONGEST_CODE = 200_000
"""Characters of code that are parsed; longer code counts as unparsed."""

_NAMES: dict[str, str] = {
    "crop": "crop center_crop",
    "rotate": "rotate rot90 getRotationMatrix2D exif_transpose",
    "flip": "flip fliplr flipud mirror",
    "resize": "resize thumbnail zoom rescale pyrUp pyrDown",
    "warp": "warpAffine warpPerspective getPerspectiveTransform warp",
    "contrast": "Contrast Brightness Sharpness autocontrast equalize equalizeHist createCLAHE equalize_hist "
    "equalize_adapthist adjust_gamma adjust_log convertScaleAbs rescale_intensity LUT",
    "threshold": "threshold adaptiveThreshold threshold_otsu threshold_local threshold_li threshold_yen",
    "edges": "Canny canny Sobel sobel Laplacian laplace prewitt roberts scharr Scharr",
    "filter": "GaussianBlur medianBlur blur bilateralFilter gaussian_filter gaussian median_filter filter2D convolve "
    "convolve2d fastNlMeansDenoising fastNlMeansDenoisingColored erode dilate morphologyEx binary_erosion "
    "binary_dilation binary_opening binary_closing skeletonize",
    "color": "cvtColor convert rgb2gray rgb2hsv rgb2lab rgb_to_hsv inRange grayscale invert getcolors getchannel",
    "segment": "label connectedComponents connectedComponentsWithStats findContours find_contours regionprops "
    "watershed floodFill floodfill KMeans kmeans slic SimpleBlobDetector_create",
    "shapes": "HoughLines HoughLinesP HoughCircles hough_line hough_circle probabilistic_hough_line approxPolyDP",
    "measure": "count_nonzero contourArea boundingRect minAreaRect arcLength getpixel norm hypot arctan2 atan2 polyfit "
    "bincount unique histogram calcHist find_peaks center_of_mass moments getbbox",
    "arrange": "paste hstack vstack hconcat vconcat concatenate alpha_composite montage make_grid",
    "difference": "absdiff subtract structural_similarity compare_ssim",
    "search": "matchTemplate match_template ORB_create SIFT_create",
    "ocr": "image_to_string image_to_data image_to_boxes readtext ocr RapidOCR PaddleOCR",
    "draw": "rectangle line ellipse circle polygon polylines putText text annotate drawContours add_patch arrow",
    "plot": "plot scatter hist bar barh contour axvline axhline errorbar",
    "show": "imshow show savefig save imwrite display",
    "print": "print",
}
OPERATION_OF: dict[str, str] = {name: operation for operation, names in _NAMES.items() for name in names.split()}
"""Function name → operation. Only the last part of a dotted name counts: `cv2.resize` and `picture.resize` are one."""

_IN_MODULE = {"ImageChops.difference": "difference", "ImageOps.flip": "flip"}
"""Names that say nothing without what stands before them."""


class _Code(msgspec.Struct):
    code: str


class _Turn(msgspec.Struct):
    degrees: float
    direction: str


def operations(call: ToolCall) -> tuple[str, ...]:
    """What a call does, each operation once, in the order of the code; empty if nothing is recognised.

    A visual tool's name is its operation. Arguments of the Python tool in which there is no code, and code that does
    not parse, give `("unparsed",)`.
    """
    if call.name != PYTHON:
        return (call.name,) if call.name else ()
    tree = tree_of(call)
    if tree is None:
        return (UNPARSED,)
    return tuple(dict.fromkeys(operation for operation, _ in _in_code(tree)))


def degrees_turned(call: ToolCall) -> tuple[float, ...]:
    """By how many degrees clockwise a call turns pictures, each at least 0 and below 360, in the order of the code.

    Only what the record states: the arguments of the tool `rotate`, and numbers written out in the code
    (`picture.rotate(90)`, `np.rot90(p, 3)`, `cv2.ROTATE_90_CLOCKWISE`). A positive number turns counterclockwise in
    Pillow, numpy, SciPy, scikit-image and OpenCV alike.
    """
    if call.name == "rotate":
        try:
            turn, _ = read_arguments(call.arguments, _Turn)
        except MalformedArguments:
            return ()
        signs = {"clockwise": 1, "counterclockwise": -1}
        return (signs[turn.direction] * turn.degrees % 360,) if turn.direction in signs else ()
    tree = tree_of(call) if call.name == PYTHON else None
    if tree is None:
        return ()
    stated = (_clockwise(node) for operation, node in _in_code(tree) if operation == "rotate")
    return tuple(degrees % 360 for degrees in stated if degrees is not None)


_PARSING = threading.Lock()


def tree_of(call: ToolCall) -> ast.Module | None:
    """The code of a call of the Python tool, parsed; None where there is none, or it is no Python."""
    try:
        code = read_arguments(call.arguments, _Code, longest=8 * LONGEST_CODE)[0].code
        if len(code) > LONGEST_CODE:
            return None
        # One thread at a time: what is ignored is the whole process's, and Python 3.11 counts depth in one place.
        with _PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python thinks of a string such as "\d" is no concern of ours
            return ast.parse(code)
    except (MalformedArguments, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _in_code(tree: ast.Module) -> list[tuple[str, ast.Call | ast.Subscript]]:
    """The operations of the code with where they stand; what is inside of another call comes before it."""
    nodes = list(ast.walk(tree))
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    imports = [alias for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names]
    aliases = {alias.asname: alias.name for alias in imports if alias.asname}
    found = [
        (operation, node)
        for node in nodes
        if isinstance(node, ast.Call | ast.Subscript) and (operation := _operation(node, own, aliases))
    ]
    return sorted(found, key=lambda one: (one[1].end_lineno or 0, one[1].end_col_offset or 0))


def _operation(node: ast.Call | ast.Subscript, own: set[str], aliases: dict[str, str]) -> str | None:
    if isinstance(node, ast.Subscript):
        return "crop" if _cuts(node) else None
    function = node.func
    if isinstance(function, ast.Name):
        # What the code defines itself is recognised by what stands in it.
        return None if function.id in own else OPERATION_OF.get(aliases.get(function.id, function.id))
    if not isinstance(function, ast.Attribute):
        return None
    if function.attr == "transpose":  # Pillow's turns or flips, and says which; that of arrays is neither
        constant = _constant(node)
        return "rotate" if constant.startswith("ROTATE") else "flip" if constant.startswith("FLIP") else None
    if function.attr == "filter":  # Pillow's
        return "edges" if _constant(node).startswith("FIND_EDGES") else "filter"
    before = f"{function.value.id}." if isinstance(function.value, ast.Name) else ""
    return _IN_MODULE.get(before + function.attr) or OPERATION_OF.get(function.attr)


def _cuts(node: ast.Subscript) -> bool:
    """Slices in rows and columns cut a piece out; `pixels[:, :, 0]` only takes a channel."""
    index = node.slice.elts[:2] if isinstance(node.slice, ast.Tuple) else []
    slices = [one for one in index if isinstance(one, ast.Slice)]
    return isinstance(node.ctx, ast.Load) and len(slices) == 2 and any(one.lower or one.upper for one in slices)


def _constant(node: ast.Call) -> str:
    """The last part of the first dotted name among the arguments, such as `ROTATE_90`."""
    return next((one.attr for one in node.args if isinstance(one, ast.Attribute)), "")


def _clockwise(node: ast.Call | ast.Subscript) -> float | None:
    """Degrees clockwise of one call that turns a picture, None where the code does not state a number."""
    if not isinstance(node, ast.Call):
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    constant = _constant(node)
    if constant.startswith("ROTATE_"):
        degrees = constant.removeprefix("ROTATE_").partition("_")[0]
        sign = 1 if constant.endswith("_CLOCKWISE") else -1
        return sign * float(degrees) if degrees.isascii() and degrees.isdecimal() else None
    if name == "rot90":
        bare = len(node.args) == 1 and not node.keywords
        quarters = 1.0 if bare else _number(node, 1, "k")
        plain = all(one.arg == "k" for one in node.keywords) and len(node.args) < 3
        return -90 * quarters if plain and quarters is not None else None
    # Pillow's method has the angle first, the functions of SciPy, scikit-image and OpenCV have it second.
    place = 0 if name == "rotate" and node.args and _stated(node.args[0]) is not None else 1
    counterclockwise = _number(node, place, "angle") if name in ("rotate", "getRotationMatrix2D") else None
    return None if counterclockwise is None else -counterclockwise


def _number(node: ast.Call, place: int, keyword: str) -> float | None:
    if len(node.args) > place:
        return _stated(node.args[place])
    return next((_stated(one.value) for one in node.keywords if one.arg == keyword), None)


def _stated(node: ast.expr) -> float | None:
    """A number that is written out, with its sign."""
    sign = 1.0
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1.0, node.operand
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and abs(node.value) < 1e9:
        return sign * node.value
    return None
