/**
 * The nonce under which this answer of the router lets styles be written into the page. A browser shows a nonce to
 * scripts by its property alone, not by the attribute.
 */
export function styleNonce(): string {
  const marked = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')
  return marked?.nonce ?? ''
}

/** Lets what holds a page still behind a dialog write its style too; it looks for the nonce where Webpack puts it. */
export function lendNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
}
