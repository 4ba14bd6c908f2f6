export { type ControlOperation, type ControlOperations, controlOperations } from '../../generated/control.ts'
export { type ErrorCode, type ErrorEntry, errors } from '../../generated/errors.ts'
export { type LimitName, limits } from '../../generated/limits.ts'
export type * from '../../generated/models.ts'
export {
  type Reason,
  type ReasonEntry,
  type ReasonOf,
  reasons,
  type Stage,
  stages,
  type WireStage,
} from '../../generated/reasons.ts'
export { type OperationId, proxyStatuses, type Route, routes } from '../../generated/routes.ts'
export type { RuleId } from '../../generated/rules.ts'
export type { components, operations, paths } from '../../generated/types.ts'
export { type ValidationError, type Validator, validators } from '../../generated/validators.js'
export {
  type Client,
  type ClientOptions,
  createClient,
  IncompleteStreamError,
  RouterError,
  streamChat,
} from './client.ts'
