export {
  toUpgradeListener,
  type UpgradeListener,
  type UpgradeListenerOptions,
} from './subscriptions/sockets/to-upgrade-listener.ts'
