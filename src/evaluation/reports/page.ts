import { escapeMarkup } from '../../domain/clean-text.js';

const STYLES = `
:root { color-scheme: light dark; --ink: #1c2330; --soft: #667085; --line: #e3e7ee; --page: #ffffff; --search: #1f5fd0;
  --lane: #8fa3bf; --baseline: #d98324; --gain: #1a8a4a; --loss: #c4372c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #2d3544; --page: #141923; --search: #6ea2ff; --lane: #7687a3;
    --baseline: #e8a35a; --gain: #4cc07c; --loss: #ee7a70; } }
body { font: 15px/1.5 system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; color: var(--ink);
  background: var(--page); max-width: 980px; margin: 2rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.25rem; margin: 2.4rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; } h4 { font-size: .85rem; margin: .4rem 0; color: var(--soft); }
figure { margin: 1.2rem 0; } figcaption { font-weight: 600; margin-bottom: .4rem; } svg { width: 100%; height: auto; }
svg .grid { stroke: var(--line); } svg .axis { fill: var(--soft); font-size: 11px; }
svg .label { fill: var(--ink); font-size: 13px; font-variant-numeric: tabular-nums; }
svg line.search { stroke: var(--search); stroke-width: 2.5; } svg .search { fill: var(--search); }
svg line.lane { stroke: var(--lane); stroke-width: 2; }
svg circle.lane { fill: var(--page); stroke: var(--lane); stroke-width: 2; }
svg line.baseline { stroke: var(--baseline); stroke-width: 2; } svg rect.baseline { fill: var(--baseline); }
svg .gain { fill: var(--gain); } svg .loss { fill: var(--loss); } span.gain { color: var(--gain); }
span.loss { color: var(--loss); }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody th, td .text { overflow-wrap: anywhere; } thead th { color: var(--soft); font-weight: 500; }
tbody th { font-weight: 400; } th .search { color: var(--search); } th .search, th .baseline { font-weight: 700; }
td small { color: var(--soft); font-size: 11px; white-space: nowrap; }
.contests li { margin: .3rem 0; } .lists { display: grid; grid-template-columns: 1fr 1fr; gap: 1.2rem; font-size: 13px; }
.lists ol { margin: 0; padding-left: 1.4rem; } .lists li.relevant b { color: var(--gain); }
article { border-top: 1px solid var(--line); } article p { margin: .2rem 0 .4rem; }
footer { margin-top: 3rem; color: var(--soft); font-size: 12px; }
@media (max-width: 1020px) {
  body { margin: 1rem auto; } table, tbody, tr, tbody th { display: block; } thead { display: none; }
  tbody tr { padding: .5rem 0; border-bottom: 1px solid var(--line); } tbody th { border: 0; padding: 0; font-weight: 600; }
  td { display: inline-block; border: 0; padding: .15rem 1.1rem .15rem 0; } td:empty { display: none; }
  td::before { content: attr(data-column); display: block; color: var(--soft); font-size: 11px; } }
@media (max-width: 640px) {
  .lists { grid-template-columns: 1fr; } svg .label { font-size: 20px; } svg .axis { font-size: 16px; } }
`;

/** A self-contained page without scripts, fonts or links. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style>${STYLES}</style></head>
<body>${body}</body></html>
`;
}

/** Escapes a text for HTML and SVG; removes characters that change the writing direction. */
export function escaped(text: string): string {
  return escapeMarkup(text.replace(/[\u202a-\u202e\u2066-\u2069]/g, ''));
}
