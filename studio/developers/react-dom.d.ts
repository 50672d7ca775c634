/** React is here for GraphiQL alone: this much of it is used. */
declare module 'react-dom/client' {
  export function createRoot(container: Element): { render(element: unknown): void };
}
