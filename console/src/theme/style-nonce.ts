/**
 * The nonce under which this answer of the router lets styles be written into the page. A browser shows a nonce to
 * scripts by its property alone, not by the attribute.
 */
export function styleNonce(): string {
  const marked = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')
  return marked?.nonce ?? ''
}
