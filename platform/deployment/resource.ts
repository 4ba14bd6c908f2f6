/** Something that was rendered into the deployment, such as a Deployment, a ConfigMap or a Service. */
export type Resource = Readonly<Record<string, unknown>>
