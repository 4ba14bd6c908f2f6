import manifest from '../../package.json' with { type: 'json' }
import type { ProxyConfig } from '../config/proxy.ts'
import type { Log } from '../log.ts'
import { openEvidence } from './evidence.ts'
import type { WrittenApproval } from './expectation.ts'
import { evidenceFolderOf } from './folder.ts'
import { createRecorder, noRecorder, type Recorder } from './recorder.ts'
import { JournalWriter } from './writer.ts'

/** A proxy's memory of what happened. */
export interface Records {
  /** The recorder of one endpoint, given the approval in force. */
  of(endpoint: string, approval: () => WrittenApproval, now: () => Date): Recorder
  /** Writes what is left, and lets another proxy write. */
  close(): Promise<void>
}

/** Opens the journal that the configuration names; without one nothing is remembered. */
export async function openRecords({ dataDir, journal: file }: ProxyConfig, log: Log): Promise<Records> {
  if (file === undefined) return { of: () => noRecorder, close: () => Promise.resolve() }
  const journal = await JournalWriter.open({ file, log })
  journal.append({ kind: 'start', proxy_version: manifest.version })
  const evidence = openEvidence(evidenceFolderOf(dataDir))
  return {
    of: (endpoint, approval, now) => createRecorder({ endpoint, approval, journal, evidence, log, now }),
    close: () => journal.close(),
  }
}
