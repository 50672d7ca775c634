import 'katex/contrib/mhchem';
import 'katex/dist/katex.min.css';
import katex, { type KatexOptions } from 'katex';

/** A node of KaTeX's result, before it is in the document. */
interface TreeNode {
  readonly attributes?: Record<string, string>;
  readonly children?: readonly TreeNode[];
  toNode(): Node;
}

const { __renderToDomTree: treeOf } = katex as unknown as {
  __renderToDomTree(tex: string, options: KatexOptions): TreeNode;
};

/**
 * As `render` of KaTeX, but sets styles by script: the policy of the page refuses `style` attributes, and without its
 * width the arrow of `\vec` is invisible. Throws what KaTeX throws.
 */
export function render(tex: string, place: HTMLElement, options: KatexOptions): void {
  const tree = treeOf(tex, options);
  renameStyles(tree);
  place.replaceChildren(tree.toNode());
  for (const element of place.querySelectorAll<HTMLElement>('[data-style]')) {
    element.style.cssText = String(element.dataset.style);
  }
  // Chromium breaks a line after any inline block, and the next one would begin with a full stop or comma.
  const last = place.querySelector(':scope > .katex > .katex-html > .base:last-child');
  if (last === null) return;
  const end = document.createElement('span');
  end.className = 'formula-end';
  last.replaceWith(end);
  end.append(last);
}

function renameStyles({ attributes, children = [] }: TreeNode): void {
  if (attributes?.style !== undefined) {
    attributes['data-style'] = attributes.style;
    delete attributes.style;
  }
  for (const child of children) renameStyles(child);
}
