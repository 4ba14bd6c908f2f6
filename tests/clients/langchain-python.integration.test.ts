// @module-tag python-langchain

import { pythonSuiteOf } from './python.ts'

pythonSuiteOf({
  need: 'python-langchain',
  wrongKey: { name: 'OpenAIAuthenticationError', code: 'invalid_api_key' },
  noCredit: { name: 'APIStatusError', code: 'insufficient_credits' },
  hides: { stream: ['id', 'cost_micros'], prompts: ['id', 'cost_micros'] },
})
