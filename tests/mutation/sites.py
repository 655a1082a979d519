# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where a mistake could be made in a text of C or Python, and which: a list of Site."""
import ast
from collections import namedtuple

# first: of the bytes that are replaced; line: its number, from 1 on
Site = namedtuple("Site", "path kind line first end old new")

# what a maintainer mistypes, by the operator that is there
SWAPS = {
    "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), "==": ("!=",), "!=": ("==",),
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",), "&&": ("||",), "||": ("&&",), "and": ("or",), "or": ("and",),
    "&": ("|",), "|": ("&",), "<<": (">>",), ">>": ("<<",), "+=": ("-=",), "-=": ("+=",), "|=": ("&=",), "&=": ("|=",),
    "++": ("--",), "--": ("++",), "not in": ("in",), "in": ("not in",), "is not": ("is",), "is": ("is not",), "//": ("*",),
}
# calls that say something, or check what cannot be
SILENT = ("g_assert", "g_return", "g_warn_if", "g_print", "GST_DEBUG", "GST_LOG", "GST_INFO", "GST_TRACE", "GST_WARNING", "GST_ERROR",
          "GST_FIXME", "g_free", "g_clear", "print", "assert")
# where nothing runs
OUTSIDE = ("preproc_include", "preproc_def", "preproc_function_def", "preproc_if", "preproc_ifdef", "string_literal", "comment",
           "enumerator_list", "parameter_list", "field_declaration_list", "attribute_specifier", "concatenated_string")
# names whose first and second are easily taken for each other
PAIRS = (("x", "y"), ("width", "height"), ("dx", "dy"), ("x0", "x1"), ("y0", "y1"), ("first", "last"), ("begin", "end"),
         ("columns", "rows"), ("min", "max"))


def find_sites(path, data):
    """@data: bytes of the file."""
    if path.endswith(".c"):
        return list(find_in_c(path, data))
    return list(find_in_python(path, data))


# C


def find_in_c(path, data):
    import tree_sitter
    import tree_sitter_c

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language()))
    stack = [parser.parse(data).root_node]
    while stack:
        node = stack.pop()
        if node.type in OUTSIDE and not (node.type.startswith("preproc_if")) or is_silent(node, data):
            continue
        yield from mistakes_of(path, data, node)
        stack.extend(reversed(node.children))


def text_of(node, data):
    return data[node.start_byte:node.end_byte].decode(errors="replace")


def is_silent(node, data):
    """A statement or call that says something only."""
    if node.type == "expression_statement" and node.children:
        node = node.children[0]
    if node.type != "call_expression":
        return False
    return text_of(node.child_by_field_name("function"), data).startswith(SILENT)


def in_function(node):
    while node and node.type != "function_definition":
        node = node.parent
    return node is not None


def mistakes_of(path, data, node):
    def site(kind, at, new):
        return Site(path, kind, at.start_point[0] + 1, at.start_byte, at.end_byte, text_of(at, data), new)

    if node.has_error or not in_function(node):
        return
    if node.type in ("binary_expression", "assignment_expression", "update_expression"):
        operator = node.child_by_field_name("operator")
        for new in SWAPS.get(text_of(operator, data), ()):
            yield site("operator", operator, new)
    if node.type in ("if_statement", "while_statement"):
        condition = node.child_by_field_name("condition")
        yield site("condition", condition, "(!" + text_of(condition, data) + ")")
    if node.type == "conditional_expression":
        condition = node.child_by_field_name("condition")
        yield site("condition", condition, "!(" + text_of(condition, data) + ")")
    if node.type == "number_literal" and node.parent.type not in ("array_declarator", "subscript_designator"):
        text = text_of(node, data)
        if text.rstrip("uUlL").isdigit():
            yield site("constant", node, str(int(text.rstrip("uUlL")) + 1))
    if node.type == "expression_statement" and node.parent.type in ("compound_statement", "if_statement", "else_clause"):
        yield site("statement", node, ";" if node.parent.type == "compound_statement" else "{ }")
    if node.type == "identifier" and text_of(node, data) in ("TRUE", "FALSE"):
        yield site("constant", node, "FALSE" if text_of(node, data) == "TRUE" else "TRUE")
    if node.type in ("field_identifier", "identifier") and node.parent.type in ("field_expression", "argument_list",
                                                                                "binary_expression"):
        for pair in PAIRS:
            if text_of(node, data) in pair:
                yield site("name", node, pair[1 - pair.index(text_of(node, data))])
    if node.type == "return_statement" and len(node.named_children) == 1:
        value = node.named_children[0]
        if value.type in ("binary_expression", "call_expression") and ("&&" in text_of(value, data) or "==" in text_of(value, data)):
            yield site("value", value, "!(" + text_of(value, data) + ")")


# Python


def find_in_python(path, data):
    text = data.decode()
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line.encode()) + 1)

    def offset(line, column):
        return starts[line - 1] + column

    def site(kind, node, first, end, new):
        return Site(path, kind, node.lineno, first, end, data[first:end].decode(), new)

    def between(left, right, words):
        """The operator, between two expressions."""
        first, end = offset(left.end_lineno, left.end_col_offset), offset(right.lineno, right.col_offset)
        gap = data[first:end]
        for word in sorted(words, key=len, reverse=True):
            at = gap.find(word.encode())
            if at >= 0:
                return first + at, first + at + len(word.encode()), word
        return None

    for node in ast.walk(ast.parse(text)):
        pairs = []
        if isinstance(node, ast.BinOp):
            pairs = [(node.left, node.right)]
        elif isinstance(node, ast.Compare):
            pairs = list(zip([node.left, *node.comparators], node.comparators))
        elif isinstance(node, ast.BoolOp):
            pairs = list(zip(node.values, node.values[1:]))
        for left, right in pairs:
            found = between(left, right, SWAPS)
            for new in SWAPS[found[2]] if found else ():
                yield site("operator", left, found[0], found[1], new)
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            test = node.test
            first, end = offset(test.lineno, test.col_offset), offset(test.end_lineno, test.end_col_offset)
            yield site("condition", test, first, end, "(not (" + data[first:end].decode() + "))")
        if isinstance(node, ast.Constant) and type(node.value) in (int, bool):
            first, end = offset(node.lineno, node.col_offset), offset(node.end_lineno, node.end_col_offset)
            yield site("constant", node, first, end, str(not node.value if isinstance(node.value, bool) else node.value + 1))
        if isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign)) and not is_said(node):
            first, end = offset(node.lineno, node.col_offset), offset(node.end_lineno, node.end_col_offset)
            yield site("statement", node, first, end, "pass")


def is_said(node):
    """A docstring, or what is printed."""
    if not isinstance(node, ast.Expr):
        return False
    if isinstance(node.value, ast.Constant):
        return True
    called = getattr(node.value, "func", None)
    return isinstance(called, ast.Name) and called.id in SILENT
