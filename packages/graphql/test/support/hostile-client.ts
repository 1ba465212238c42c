// A client that sends one line of the corpus again and again, with a pause between answer and request, until it is ordered
// another one.
import { setTimeout } from 'node:timers/promises'
import { hostileCorpus } from './hostile-corpus.ts'

/** What the parent process says. A line that does not exist ends the attack. */
export interface Attack {
  readonly url: string
  readonly index: number
  readonly headers: Readonly<Record<string, string>>
  readonly pauseMs: number
}

let current: Attack | undefined
process.on('message', (attack: Attack) => {
  current = attack
  void send(attack)
})
process.on('disconnect', () => process.exit())

async function send(attack: Attack): Promise<void> {
  const line = hostileCorpus[attack.index]
  if (!line) return
  const init = { ...line.init, headers: { ...(line.init.headers as object), ...attack.headers } }
  while (current === attack) {
    await fetch(`${attack.url}${line.search ?? ''}`, init).then(
      (response) => response.arrayBuffer(),
      () => null,
    )
    await setTimeout(attack.pauseMs)
  }
}
