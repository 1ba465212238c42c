/** Returns the time as mails name it, so that two mails of one kind can be distinguished. */
export function atTime(at: number): string {
  return `at ${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
