import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isMet, type PythonNeed, pythonOf } from '../../../tests/needs.ts'
import { provide } from '../../../tests/provide.ts'
import { freePort, startForeign } from './program.ts'
import { chatOf, type Subject, Unavailable } from './subject.ts'

const KEY_BYTES = 32

const need: PythonNeed = {
  kind: 'python',
  name: 'python-litellm-proxy',
  requirement: 'litellm[proxy]==1.106.2',
  use: 'the benchmark, as a peer',
}

/** The proxy of LiteLLM as PyPI has it, one worker, without a database. */
export const litellm: Subject = {
  name: 'litellm',
  description: 'LiteLLM proxy 1.106.2 of PyPI, one worker, no database',
  isQuick: false,
  async prepare({ folder, backendUrl, core }) {
    await provide([need])
    if (!isMet(need)) throw new Unavailable('this machine has no Python, or PyPI was not to be had')
    const config = join(folder, 'litellm.yaml')
    const model = { model: 'openai/tiny-chat', api_base: backendUrl, api_key: 'none' }
    writeFileSync(
      config,
      JSON.stringify({ model_list: [{ model_name: 'tiny-chat', litellm_params: model }] }),
    )
    const python = pythonOf(need.name)
    // It serves nobody without one.
    const masterKey = `sk-${randomBytes(KEY_BYTES).toString('hex')}`
    return {
      async start() {
        const port = await freePort()
        const { pid, stop } = await startForeign({
          file: python,
          args: [
            join(dirname(python), 'litellm'),
            '--config',
            config,
            '--port',
            String(port),
            '--host',
            '127.0.0.1',
          ],
          env: { LITELLM_MASTER_KEY: masterKey, LITELLM_LOG: 'ERROR', LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
          core,
          logFile: join(folder, 'litellm.log'),
          url: `http://127.0.0.1:${port}/health/liveliness`,
        })
        const headers = { authorization: `Bearer ${masterKey}` }
        const target = chatOf(`http://127.0.0.1:${port}/v1`, undefined, headers)
        return { target, roles: [{ name: 'litellm', pid }], stop }
      },
      dispose: async () => {},
    }
  },
}
