/** How the script asks the server for the time: seconds and microseconds. */
const SERVER_CLOCK = "redis.call('TIME')"

/** Milliseconds for which a bucket that must be full again is kept (ours): forgetting it changes nothing. */
const KEPT_FULL_MS = 60_000

/**
 * The same as memory.ts, in one atomic step by the server's own clock: routers with clocks of their own would refill
 * each other's buckets (L-04). Numbers are whole and below 2^53, which is what both languages count in exactly.
 *
 * KEYS: the buckets. ARGV: for each of them what a minute allows, the units that it must hold (or nothing) and the
 * units that it gains. A bucket is kept as its level and its time. Answers the time, the place of the bucket that
 * refused (from 0, or -1), and the levels.
 */
export function bucketScript(clock: string = SERVER_CLOCK): string {
  return `
local time = ${clock}
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kept = redis.call('MGET', unpack(KEYS))
local answer = { now, -1 }

local function full(place)
  return ARGV[3 * place - 2] * 60000
end

for place = 1, #KEYS do
  local level = full(place)
  if kept[place] then
    local was, at = string.match(kept[place], '^(%S+) (%S+)$')
    local elapsed = math.max(0, now - at)
    level = math.min(level, was + elapsed * ARGV[3 * place - 2])
  end
  local least = ARGV[3 * place - 1]
  if answer[2] == -1 and least ~= '' and level < tonumber(least) then answer[2] = place - 1 end
  answer[place + 2] = level
end

if answer[2] >= 0 then return answer end

for place = 1, #KEYS do
  local units = tonumber(ARGV[3 * place])
  if units ~= 0 then
    local level = math.min(full(place), answer[place + 2] + units)
    local life = math.ceil((full(place) - level) / ARGV[3 * place - 2]) + ${KEPT_FULL_MS}
    redis.call('SET', KEYS[place], string.format('%.0f %.0f', level, now), 'PX', string.format('%.0f', life))
    answer[place + 2] = level
  end
end
return answer
`
}
