import { createCommand, options, runCommand } from '#base/command.ts'
import manifest from '../package.json' with { type: 'json' }

const what = 'A reference platform gateway: publishes signed evidence and forwards everything else.'
const program = createCommand('platform', what).version(manifest.version)

// Commands are imported when they are called: `--help` needs no cryptography.
program
  .command('run')
  .description('sign, publish and forward until SIGTERM or Ctrl-C')
  .option('--config <file>', 'configuration file', 'platform.yaml')
  .option('--check', 'check the configuration and the deployment, and stop')
  .option(...options.withParent)
  .option(...options.json)
  .action(async (given) => (await import('./commands/run.ts')).run(given))

const code = await runCommand(program, process.argv.slice(2))
if (code !== undefined) process.exitCode = code
