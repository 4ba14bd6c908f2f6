import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The operating system's user that the database runs as. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

const USER = 'postgres'
const run = promisify(execFile)

/** The user to run the database as, or undefined for our own; PostgreSQL refuses to run as root. */
export async function findOwner(): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined
  return (await lookUp()) ?? (await createUser())
}

async function lookUp(): Promise<Owner | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', USER]), run('id', ['-g', USER])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return undefined
  }
}

async function createUser(): Promise<Owner> {
  try {
    await run('groupadd', ['--system', '--force', USER])
    await run('useradd', ['--system', '--gid', USER, '--no-create-home', USER])
  } catch (cause) {
    throw new Error(`PostgreSQL cannot run as root, and no user "${USER}" could be made to run it as`, {
      cause,
    })
  }
  const owner = await lookUp()
  if (!owner) throw new Error(`The user "${USER}" was made but is not there`)
  return owner
}
