/**
 * Connections that may wait to be taken (ours), as far as the system lets it. Linux has the clients of those beyond it
 * believe that they are connected, and forgets what they send for seconds, or resets them.
 */
export const BACKLOG = 4_096
