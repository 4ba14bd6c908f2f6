/** What the database takes for a time, wherever on earth it is told (ours). */
const FIRST_MS = Date.parse('0001-01-02T00:00:00Z')
const LAST_MS = Date.parse('9999-12-30T00:00:00Z')

/** Whether the database takes it: it knows no year 0, and none of five digits as it is written here. False for none. */
export function isTimeOfDatabase(time: Date): boolean {
  return time.getTime() >= FIRST_MS && time.getTime() <= LAST_MS
}
