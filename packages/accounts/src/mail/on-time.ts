const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/** Returns the time as mails in English name it, to the second: it distinguishes two mails of one kind. */
export function onTime(at: number): string {
  return `on ${days.format(at)} at ${new Date(at).toISOString().slice(11, 19)} UTC`
}
