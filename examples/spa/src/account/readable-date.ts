const format = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

export function readableDate(time: string): string {
  return format.format(new Date(time))
}
