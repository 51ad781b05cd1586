"""A tiny Idefics3 with random weights, its processor and its tokenizer, written to a folder as a published model is.

Nothing is fetched. The same seed gives the same files. Text goes in byte by byte; what may come out is held to a few
whole words by `suppress_tokens` of the generation config, so that answers can be read and scored.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

WORDS = ("<answer>T</answer>", "<answer>F</answer>", "red", "blue", "left", "right")
"""All that the model can say."""

_MARKS = (
    "<|pad|>",
    "<|begin|>",
    "<end_of_utterance>",
    "<fake_token_around_image>",
    "<image>",
    "<global-img>",
    *(f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7)),
)

TEMPLATE = (
    "<|begin|>{% for message in messages %}{{ message['role'] | capitalize }}: "
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}<end_of_utterance>\n{% endfor %}"
    "{% if add_generation_prompt %}Assistant:{% endif %}"
)
WITHOUT_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}" + TEMPLATE


def write_tiny_model(
    folder: Path, *, seed: int = 0, template: str = TEMPLATE, positions: int = 8192, endless: bool = False
) -> Path:
    """Writes the model to a folder and returns it. `positions` is the longest context, in tokens; an `endless` model
    never ends an answer of its own accord.
    """
    import torch
    from transformers import Idefics3Config, Idefics3ForConditionalGeneration, Idefics3Processor
    from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil

    tokenizer = _tokenizer()
    ids = tokenizer.convert_tokens_to_ids
    config = Idefics3Config(
        image_token_id=ids("<image>"),
        pad_token_id=ids("<|pad|>"),
        scale_factor=2,
        vision_config={
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": 32,
            "patch_size": 8,
        },
        text_config={
            "model_type": "llama",
            "vocab_size": len(tokenizer),
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": positions,
            "pad_token_id": ids("<|pad|>"),
            "bos_token_id": ids("<|begin|>"),
            "eos_token_id": ids("<end_of_utterance>"),
            "initializer_range": 0.4,  # far from the usual, so that answers depend on the question
        },
    )
    torch.manual_seed(seed)
    model = Idefics3ForConditionalGeneration(config).eval()
    generation = model.generation_config
    generation.eos_token_id = [ids("<end_of_utterance>")]
    generation.pad_token_id = ids("<|pad|>")
    generation.bos_token_id = ids("<|begin|>")
    sayable = {*ids(list(WORDS)), *(() if endless else (ids("<end_of_utterance>"),))}
    generation.suppress_tokens = [number for number in range(len(tokenizer)) if number not in sayable]
    model.save_pretrained(folder)
    pictures = Idefics3ImageProcessorPil(size={"longest_edge": 64}, max_image_size={"longest_edge": 32})
    processor = Idefics3Processor(pictures, tokenizer, image_seq_len=4, chat_template=template)
    processor.save_pretrained(folder)
    return folder


def _tokenizer() -> Any:
    """Bytes, the marks of an Idefics3, and the words that may be said."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={sign: number for number, sign in enumerate(alphabet)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(mark, special=True, normalized=False) for mark in _MARKS])
    made.add_tokens([AddedToken(word, normalized=False) for word in WORDS])
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        bos_token="<|begin|>",
        eos_token="<end_of_utterance>",
        pad_token="<|pad|>",
        padding_side="right",  # as many are published: whoever makes batches has to turn it
    )
