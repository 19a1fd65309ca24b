// The sink that counts what one point says of delivery. Decides nothing.
import { DELIVERY, deliveryLabels } from '../judge/delivery/metric.ts';
import type { Sink } from '../judge/report.ts';
import type { MetricStore } from './store.ts';

export function createDeliveryFeed(store: MetricStore): Sink {
  return {
    name: 'delivery',
    onReport({ delivery, labels }) {
      if (delivery === undefined) return;
      store.counter(DELIVERY, { route: labels.route, ...deliveryLabels(delivery) }).add(1);
    },
  };
}
