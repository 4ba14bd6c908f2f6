/** Who asks: one with so much credit that it never ends, and one with so little that it does. */
export const grants = { rich: 10_000_000_000n, modest: 60_000n }

export type PayerName = keyof typeof grants
