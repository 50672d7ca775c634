/**
 * In place of react-style-singleton, which writes a `<style>` element that keeps the page behind a dialog from
 * scrolling: the policy of the page refuses it, and GraphiQL's page does not scroll.
 */
export const styleSingleton = () => () => null;
