/** Says on the standard error how far a part is: one line that changes on a terminal, one line for each step elsewhere. */
export function createProgress(title: string): { say(text: string): void; end(word: 'done' | 'failed'): void } {
  const { isTTY = false } = process.stderr
  const startedAt = performance.now()
  const seconds = (): string => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`
  const write = (text: string): void => {
    process.stderr.write(isTTY ? `\r\x1b[K${title}: ${text}` : `${title}: ${text}\n`)
  }
  return {
    say: (text) => write(`${text} (${seconds()})`),
    end(word) {
      write(`${word} in ${seconds()}`)
      if (isTTY) process.stderr.write('\n')
    },
  }
}
