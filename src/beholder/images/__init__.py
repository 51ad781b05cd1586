"""Images on their way from the data to a model.

`load`        published bytes to an `Image`, bounded and checked before anything is decoded
`pixels`      an `Image` to upright RGB pixels
`wire`        an `Image` to what one provider accepts, with a record of what was changed and why
`references`  `<image>` tokens in a question to parts in their order
`thumbnail`   a small WebP for reports

Import from these modules: this package imports nothing by itself, so that readers of text stay free of
Pillow.
"""
