// Eleventy comes without types: this is what the site asks of it.
declare module '@11ty/eleventy' {
  interface Config {
    setUseGitIgnore(isUsed: boolean): void
    setTemplateFormats(formats: string): void
    setLibrary(name: 'md', library: object): void
    addTemplate(name: string, content: string, data: object): void
    addTransform(
      name: string,
      transform: (this: { readonly page: { readonly outputPath: string } }, content: string) => string,
    ): void
  }
  interface Options {
    readonly quietMode: boolean
    readonly config: (config: Config) => void
  }
  export default class Eleventy {
    constructor(input: string, output: string, options: Options)
    disableLogger(): void
    write(): Promise<unknown>
  }
}
