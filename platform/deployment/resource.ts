/** Something that was rendered into the deployment, such as a Deployment, a ConfigMap or a Service. */
export type Resource = Readonly<Record<string, unknown>>

/** Whether a value is an object with names, and neither a list nor null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
