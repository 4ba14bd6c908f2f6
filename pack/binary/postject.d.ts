declare module 'postject' {
  /** Puts a resource into an executable file of ELF, Mach-O or PE, in place. */
  export function inject(
    file: string,
    resource: string,
    bytes: Buffer,
    options: { readonly sentinelFuse: string; readonly machoSegmentName?: string },
  ): Promise<void>
}
