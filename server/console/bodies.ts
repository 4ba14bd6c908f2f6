import type { Validator } from '#contract/validator'
import { isCreditChange } from '#contract/validators/credit-change'
import { isKeyChange } from '#contract/validators/key-change'
import { isNewInvitation } from '#contract/validators/new-invitation'
import { isNewKey } from '#contract/validators/new-key'
import { isNewUpstream } from '#contract/validators/new-upstream'
import { isPageEvents } from '#contract/validators/page-events'
import { isPinChange } from '#contract/validators/pin-change'
import { isSignInCodeRequest } from '#contract/validators/sign-in-code-request'
import { isSignInRequest } from '#contract/validators/sign-in-request'
import { isUpstreamChange } from '#contract/validators/upstream-change'
import type { ConsoleBodies } from './handlers.ts'

/** What each body has to be, by the operation that takes it. */
export const bodies: { readonly [Op in keyof ConsoleBodies]: Validator<ConsoleBodies[Op]> } = {
  askSignInCode: isSignInCodeRequest,
  signIn: isSignInRequest,
  createKey: isNewKey,
  updateKey: isKeyChange,
  sendEvents: isPageEvents,
  registerUpstream: isNewUpstream,
  updateUpstream: isUpstreamChange,
  changePins: isPinChange,
  issueInvitation: isNewInvitation,
  creditWorkspace: isCreditChange,
}
