import type { components } from '#contract/types'
import manifest from '../../package.json' with { type: 'json' }
import type { ProxyConfig } from '../config/proxy.ts'
import type { Log } from '../log.ts'
import { openEvidence } from './evidence.ts'
import { evidenceFolderOf } from './folder.ts'
import { createRecorder, noRecorder, type Recorder } from './recorder.ts'
import { continuationDocument } from './resume.ts'
import { JournalWriter, type WriterState } from './writer.ts'

/** How a journal fares; its schema is spec/documents/proxy-status.tsp. */
export type JournalStatus = components['schemas']['JournalStatus']

/** A proxy's memory of what happened. */
export interface Records {
  /** The recorder of one endpoint. */
  of(endpoint: string, hostname: string): Recorder
  /** How the journal fares; undefined when none is kept. */
  status(): JournalStatus | undefined
  /** Writes what is left, and lets another proxy write. */
  close(): Promise<void>
}

/** Opens the journal that the configuration names; without one nothing is remembered. */
export async function openRecords({ dataDir, journal: file }: ProxyConfig, log: Log): Promise<Records> {
  if (file === undefined) {
    return { of: () => noRecorder, status: () => undefined, close: () => Promise.resolve() }
  }
  const journal = await JournalWriter.open({ file, log })
  journal.append({ kind: 'start', proxy_version: manifest.version })
  const evidence = openEvidence(evidenceFolderOf(dataDir))
  return {
    of: (endpoint, hostname) => createRecorder({ endpoint, hostname, journal, evidence, log }),
    status: () => statusOf(journal.state),
    close: () => journal.close(),
  }
}

function statusOf({ file, isFailing, continues, waitingLines, lostLines }: WriterState): JournalStatus {
  return {
    state: isFailing ? 'failing' : continues === undefined ? 'writing' : 'continued',
    file,
    ...(continues && { continues: continuationDocument(continues) }),
    waiting_lines: waitingLines,
    lost_lines: lostLines,
  }
}
