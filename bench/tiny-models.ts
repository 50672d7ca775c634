/**
 * Writes small ONNX models that load, tokenise, run and pool as real ones do, so that tests need no download.
 *
 *     npm run bench -- tiny-models FOLDER
 *
 * Each goes to FOLDER/tiny/<name>, laid out as a Hugging Face repository with ONNX files.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { seededRandom } from '../src/evaluation/random.js';
import { type Constant, encodeModel, type Graph, type GraphNode, type Value } from './onnx.js';
import { readArguments } from './run.js';
import { SPECIAL_TOKENS, tokenizerFiles, vocabularyOf } from './tiny-tokenizer.js';

/** The longest input of the tiny models, in tokens, as a real BERT's. */
const MAX_TOKENS = 512;

/** Whole words of the default vocabulary. */
const WORDS = [
  ...[
    ...'一元二次方程解不等式求面积周长三角形圆柱体积分数加减乘除函数定义域符号错误计算勾股定理直线角度速路程时间单位',
  ],
  ...[
    'solve',
    'the',
    'equation',
    'area',
    'circle',
    'triangle',
    'sign',
    'error',
    'slope',
    'fraction',
    'find',
    'of',
    'for',
  ],
];

interface TinyEmbedder {
  /** The length of its vectors. */
  readonly dims: number;
  /** Layers of two matrices each; 0 gives a bag of tokens. More layers make it as slow as a real model. */
  readonly layers?: number;
  /** Quantises its activations by the range that they have in the whole batch, as dynamically quantised models do. */
  readonly quantised?: boolean;
  /** A run with this token takes minutes. */
  readonly hangsOn?: string;
  /** Changes every vector. */
  readonly seed?: number;
}

const TOKENS: readonly (number | string)[] = ['batch', 'tokens'];
const inputs = (...names: readonly string[]): Value[] => names.map((name) => ({ name, type: 'int64', shape: TOKENS }));
const node = (op: string, from: readonly string[], to: string, attributes = {}): GraphNode => ({
  op,
  inputs: from,
  outputs: [to],
  attributes,
});
const scalar = (name: string, value: number): Constant => ({ name, dims: [], values: Float32Array.of(value) });
const whole = (name: string, ...values: number[]): Constant => ({
  name,
  dims: [values.length],
  values: BigInt64Array.from(values, BigInt),
});

/**
 * An embedding model: the hidden state of a token is its own vector and a part of the mean of all tokens that the mask
 * lets through, then, where there are layers, what those make of it. Pooled by the mean, it is near what shares its
 * words.
 */
function embedderGraph(given: TinyEmbedder): Graph {
  const { dims, layers = 0, quantised = false, hangsOn, seed = 1 } = given;
  const vocabulary = vocabularyOf(WORDS);
  const random = seededRandom(seed);
  const matrix = (name: string, rows: number, columns: number): Constant => ({
    name,
    dims: [rows, columns],
    values: Float32Array.from({ length: rows * columns }, () => (random() * 2 - 1) / Math.sqrt(columns)),
  });
  const table = matrix('table', vocabulary.length, dims);
  // Special tokens have zero vectors, except the unknown one: a text of unknown words has a vector too.
  const unknown = SPECIAL_TOKENS.indexOf('[UNK]');
  (table.values as Float32Array).fill(0, 0, unknown * dims).fill(0, (unknown + 1) * dims, SPECIAL_TOKENS.length * dims);

  const constants = [table, whole('last', 2), whole('tokens', 1), scalar('part', 0.25)];
  const nodes: GraphNode[] = [
    node('Gather', ['table', 'input_ids'], 'own'),
    node('Cast', ['attention_mask'], 'mask', { to: 1 }),
    node('Unsqueeze', ['mask', 'last'], 'mask3'),
    node('Mul', ['own', 'mask3'], 'kept'),
    node('ReduceSum', ['kept', 'tokens'], 'sum', { keepdims: 1 }),
    node('ReduceSum', ['mask3', 'tokens'], 'count', { keepdims: 1 }),
    node('Div', ['sum', 'count'], 'mean'),
    node('Mul', ['mean', 'part'], 'context'),
    node('Add', ['own', 'context'], 'h0'),
  ];
  let hidden = 'h0';
  for (let layer = 1; layer <= layers; layer += 1) {
    constants.push(matrix(`in${layer}`, dims, 4 * dims), matrix(`out${layer}`, 4 * dims, dims));
    nodes.push(
      node('MatMul', [hidden, `in${layer}`], `wide${layer}`),
      node('Relu', [`wide${layer}`], `bent${layer}`),
      node('MatMul', [`bent${layer}`, `out${layer}`], `step${layer}`),
      node('Add', [hidden, `step${layer}`], `h${layer}`),
    );
    hidden = `h${layer}`;
  }
  if (quantised) {
    nodes.push(
      { op: 'DynamicQuantizeLinear', inputs: [hidden], outputs: ['bytes', 'scale', 'zero'] },
      node('DequantizeLinear', ['bytes', 'scale', 'zero'], 'coarse'),
    );
    hidden = 'coarse';
  }
  if (hangsOn !== undefined) {
    nodes.push(...hanging(hidden), node('Identity', ['slow'], 'last_hidden_state'));
    constants.push({ name: 'marker', dims: [1], values: BigInt64Array.of(BigInt(vocabulary.indexOf(hangsOn))) });
    constants.push({ name: 'ages', dims: [], values: BigInt64Array.of(10_000_000_000n) });
    constants.push({ name: 'on', dims: [], values: [true] });
  } else nodes.push(node('Identity', [hidden], 'last_hidden_state'));
  return {
    inputs: inputs('input_ids', 'attention_mask'),
    outputs: [{ name: 'last_hidden_state', type: 'float', shape: ['batch', 'tokens', dims] }],
    constants,
    nodes,
  };
}

/** A loop of billions of iterations for each occurrence of the marker, which returns its input. */
function hanging(hidden: string): readonly GraphNode[] {
  const body: Graph = {
    inputs: [
      { name: 'turn', type: 'int64', shape: [] },
      { name: 'going', type: 'bool', shape: [] },
      { name: 'given', type: 'float', shape: ['batch', 'tokens', 'dims'] },
    ],
    outputs: [
      { name: 'goes', type: 'bool', shape: [] },
      { name: 'same', type: 'float', shape: ['batch', 'tokens', 'dims'] },
    ],
    constants: [],
    nodes: [node('Identity', ['going'], 'goes'), node('Identity', ['given'], 'same')],
  };
  return [
    node('Equal', ['input_ids', 'marker'], 'marked'),
    node('Cast', ['marked'], 'marks', { to: 7 }),
    node('ReduceSum', ['marks'], 'times', { keepdims: 0 }),
    node('Mul', ['times', 'ages'], 'turns'),
    node('Loop', ['turns', 'on', hidden], 'slow', { body }),
  ];
}

/**
 * A cross-encoder: one logit that grows from -6 to 6 with the share of the first text's tokens that the second has too.
 */
function crossEncoderGraph(): Graph {
  const vocabulary = vocabularyOf(WORDS);
  const counts = (part: string): GraphNode[] => [
    node('Unsqueeze', [part, 'last'], `${part}3`),
    node('Mul', ['onehot', `${part}3`], `${part}Tokens`),
    node('ReduceSum', [`${part}Tokens`, 'tokens'], `${part}All`, { keepdims: 0 }),
    node('Mul', [`${part}All`, 'words'], `${part}Counts`),
  ];
  return {
    inputs: inputs('input_ids', 'attention_mask', 'token_type_ids'),
    outputs: [{ name: 'logits', type: 'float', shape: ['batch', 1] }],
    constants: [
      whole('depth', vocabulary.length),
      { name: 'zeroOne', dims: [2], values: Float32Array.of(0, 1) },
      whole('last', 2),
      whole('tokens', 1),
      scalar('one', 1),
      scalar('span', 12),
      scalar('floor', 6),
      {
        name: 'words',
        dims: [vocabulary.length],
        values: Float32Array.from(vocabulary, (_, id) => (id < SPECIAL_TOKENS.length ? 0 : 1)),
      },
    ],
    nodes: [
      node('OneHot', ['input_ids', 'depth', 'zeroOne'], 'onehot'),
      node('Cast', ['attention_mask'], 'mask', { to: 1 }),
      node('Cast', ['token_type_ids'], 'type', { to: 1 }),
      node('Mul', ['mask', 'type'], 'second'),
      node('Sub', ['mask', 'second'], 'first'),
      ...counts('first'),
      ...counts('second'),
      node('Min', ['firstCounts', 'secondCounts'], 'shared'),
      node('ReduceSum', ['shared', 'tokens'], 'sharedCount', { keepdims: 1 }),
      node('ReduceSum', ['firstCounts', 'tokens'], 'firstCount', { keepdims: 1 }),
      node('Max', ['firstCount', 'one'], 'size'),
      node('Div', ['sharedCount', 'size'], 'share'),
      node('Mul', ['share', 'span'], 'grown'),
      node('Sub', ['grown', 'floor'], 'logits'),
    ],
  };
}

/** Writes an embedding model to `folder`/`id`, as the file of `dtype` that transformers.js looks for. */
export async function writeEmbedder(folder: string, id: string, given: TinyEmbedder, dtype = 'fp32'): Promise<void> {
  const vocabulary = vocabularyOf(WORDS);
  const config = { ...BERT, architectures: ['BertModel'], hidden_size: given.dims, vocab_size: vocabulary.length };
  const file = dtype === 'fp32' ? 'onnx/model.onnx' : `onnx/model_${dtype === 'q8' ? 'quantized' : dtype}.onnx`;
  await write(join(folder, id), {
    ...tokenizerFiles(vocabulary, MAX_TOKENS),
    'config.json': JSON.stringify(config),
    [file]: encodeModel(embedderGraph(given)),
  });
}

/** Writes a cross-encoder to `folder`/`id`. */
export async function writeCrossEncoder(folder: string, id: string): Promise<void> {
  const vocabulary = vocabularyOf(WORDS);
  const config = { ...BERT, architectures: ['BertForSequenceClassification'], vocab_size: vocabulary.length };
  await write(join(folder, id), {
    ...tokenizerFiles(vocabulary, MAX_TOKENS),
    'config.json': JSON.stringify({ ...config, id2label: { 0: 'LABEL_0' }, label2id: { LABEL_0: 0 } }),
    'onnx/model.onnx': encodeModel(crossEncoderGraph()),
  });
}

/** What the loader reads of a BERT's config.json beside the sizes. */
const BERT = { model_type: 'bert', max_position_embeddings: MAX_TOKENS, num_attention_heads: 1, num_hidden_layers: 1 };

async function write(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, contents] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), contents);
  }
}

/** Writes an embedding model and a cross-encoder that replace real ones in tests. */
export async function writeTinyModels(): Promise<void> {
  const [folder = ''] = readArguments({}, 1).files;
  await writeEmbedder(folder, 'tiny/embedder', { dims: 32 });
  await writeCrossEncoder(folder, 'tiny/cross-encoder');
}
