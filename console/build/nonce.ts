/** Stands in the built `index.html` wherever the router puts the nonce of an answer. */
export const NONCE_PLACEHOLDER = '__style_nonce__'
