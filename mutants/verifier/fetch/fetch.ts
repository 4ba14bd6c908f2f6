export * from '../../../egress/evidence/fetch.ts'

/** Takes a bundle with whatever status it comes. */
export function checkStatus(_status: number): void {}
