/** What somebody who wants to sign in has said of themselves. */
export interface Asked {
  readonly email: string
  readonly invitation: string
}
