import type { PlantedFault } from './faults.ts'

/** Mistakes in the watch over the identities of open streams. */
export const faultsOfStreams: readonly PlantedFault[] = [
  {
    name: 'event-unchecked',
    fault: 'an event is sent without another look at the identity',
    patch: {
      file: 'packages/graphql/src/subscriptions/execute-event.ts',
      old: 'const identity = await client.watch.confirm()',
      new: 'const { identity } = client.requestIdentity',
    },
  },
  {
    name: 'rare-checks',
    fault: 'the identity of an open stream is read again every eight seconds',
    patch: {
      file: 'packages/graphql/src/subscriptions/identity-watches.ts',
      old: 'time - checkedAt >= recheckMs)',
      new: 'time - checkedAt >= 4 * recheckMs)',
    },
  },
  {
    name: 'watch-left',
    fault: 'the identity of a client that has left is watched on',
    patch: {
      file: 'packages/graphql/src/subscriptions/connection.ts',
      old: '  state.watch.stop()\n',
      new: '',
    },
  },
  {
    name: 'source-left',
    fault: 'the source of a client that has left stays open',
    patch: {
      file: 'packages/graphql/src/subscriptions/event-stream.ts',
      old: '  void (async () => state.events.return?.())().catch(() => undefined)\n',
      new: '',
    },
  },
  {
    name: 'success-forgotten',
    fault: 'a check that succeeded counts as one without an answer',
    patch: {
      file: 'packages/graphql/src/subscriptions/watched-identity.ts',
      old: '  watched.unansweredSince = null\n',
      new: '',
    },
  },
]
