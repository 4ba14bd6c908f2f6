// @ts-check
import { createTypeSpecLibrary, paramMessage } from '@typespec/compiler'

/** The library as the compiler sees it: its name, its diagnostics and what decorators remember. */
export const $lib = createTypeSpecLibrary({
  name: '@router/contract-emitter',
  emitter: {
    options: {
      type: 'object',
      // The index of the conformance scenarios and the folder of the vectors; without them the pages name none.
      properties: {
        'scenario-index': { type: 'string', nullable: true },
        'vector-folder': { type: 'string', nullable: true },
      },
      additionalProperties: false,
    },
  },
  diagnostics: {
    'duplicate-code': {
      severity: 'error',
      messages: {
        default: paramMessage`The error code "${'code'}" stands under two rows: ${'first'} and ${'second'}.`,
      },
    },
    'not-a-status': {
      severity: 'error',
      messages: { default: paramMessage`"${'status'}" is not the status of an error (400 to 599).` },
    },
    'no-meaning': {
      severity: 'error',
      messages: {
        default: paramMessage`"${'name'}" has no doc comment, which would be its published meaning.`,
      },
    },
    'no-remedy': {
      severity: 'error',
      messages: {
        default: paramMessage`"${'name'}" has no @remedy, which would be published as what to do.`,
      },
    },
    'stage-without-reasons': {
      severity: 'error',
      messages: { default: paramMessage`The stage "${'stage'}" has no @reasonsOf.` },
    },
    'duplicate-stage': {
      severity: 'error',
      messages: { default: paramMessage`The reasons of the stage "${'stage'}" are listed twice.` },
    },
    'not-a-limit': {
      severity: 'error',
      messages: { default: paramMessage`The limit "${'name'}" needs a whole number as its value.` },
    },
    'duplicate-limit': {
      severity: 'error',
      messages: { default: paramMessage`The limit "${'name'}" is defined twice.` },
    },
    'duplicate-document': {
      severity: 'error',
      messages: { default: paramMessage`Two models are published under the file name "${'name'}".` },
    },
  },
  state: {
    chosen: { description: 'definitions that this project chose' },
    rows: { description: 'rows of the error registry' },
    reasons: { description: 'reasons by stage' },
    remedies: { description: 'remedies by reason and by error code' },
    limits: { description: 'enums of limits' },
    servers: { description: 'operations that others than the router serve' },
    metered: { description: 'metered operations' },
    administrators: { description: 'interfaces for administrators' },
    raw: { description: 'operations that answer bytes' },
    throughProxy: { description: 'responses of the proxy' },
    validated: { description: 'models with a validator' },
    documents: { description: 'models published as a JSON Schema' },
    closed: { description: 'models that admit no further members' },
  },
})

export const { reportDiagnostic, stateKeys } = $lib
