const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[t\s](\d\d):(\d\d):(\d\d(?:\.\d+)?)(?:z|([+-])(\d\d)(?::?(\d\d))?)$/i
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The formats of strings that validators judge. A validator that needs one has a copy of its own. */
export const formats = { 'date-time': isDateTime }

/** A day and a time that exist, with an offset (RFC 3339); a leap second is the last of a day in UTC. */
function isDateTime(text: string): boolean {
  const [isWhole, year, month, day, hour, minute, second, sign, hours = 0, minutes = 0] =
    DATE_TIME.exec(text) ?? []
  if (!isWhole || !isDay(Number(year), Number(month), Number(day))) return false
  if (Number(hours) > 23 || Number(minutes) > 59) return false
  if (Number(hour) <= 23 && Number(minute) <= 59 && Number(second) < 60) return true
  const ahead = sign === '-' ? -1 : 1
  const utcMinute = Number(minute) - Number(minutes) * ahead
  const utcHour = Number(hour) - Number(hours) * ahead - (utcMinute < 0 ? 1 : 0)
  const isLast = (utcHour === 23 || utcHour === -1) && (utcMinute === 59 || utcMinute === -1)
  return isLast && Number(second) < 61
}

function isDay(year: number, month: number, day: number): boolean {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day >= 1 && day <= (month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0))
}
