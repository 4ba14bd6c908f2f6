/** How the fault of a run that was asked to end begins. */
export const STOPPED = 'the run was stopped by'

/** What a fault that belongs to no scenario means, as reports say it before the fault itself. */
export function whatFailed(fault: string): string {
  return fault.startsWith(STOPPED) ? 'Not all of it was asked' : 'The suite itself failed'
}
