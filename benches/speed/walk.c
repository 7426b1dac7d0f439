/*
 * The walk of simcore/perfsim/walk.py, rule by rule and on the same arrays, as a C programmer would write it: the
 * yardstick for the compiled Python function. benches/speed/walk.py compiles it, runs both in turn and compares every
 * result; it is not part of any model.
 */
#include <stdint.h>

enum { WINDOW = 1 | 2, TRIGGER = 4, COLLECTIVE = 8, EARLY_READY = 16, PSUM_WRITE = 32, TRANSFER = 64, RING_FULL = 128 };
enum { LANES = 12, BANKS = 8 };
enum { NONE, DEPENDENCY, ENGINE, PSUM_BANK, BAND_COUPLING, BARRIER, RING, FLOOR };
enum { ORDERED = 1, ANTI = 2 };
enum { POOL = 1, ACTIVATION = 2, PE = 3, DVE = 5, SP = 6, ALL = 7 };

struct state {
    int64_t lane_dispatch[LANES];
    int64_t lane_end[LANES];
    int64_t lane_last[LANES];
    int64_t bank_time[BANKS];
    int64_t bank_last[BANKS];
    int64_t writer_end[LANES];
    int64_t writer_last[LANES];
    int64_t edge_cursor;
    int64_t ring_cursor;
};

static const int barrier_lanes[] = {ACTIVATION, DVE, PE, POOL, SP};

void walk(int64_t begin, int64_t end, int64_t *restrict duration, const uint8_t *restrict lane,
          const uint8_t *restrict klass, const uint8_t *restrict bank_waits, const uint8_t *restrict bank_sets,
          const uint32_t *restrict dep_count, const int32_t *restrict dep_on, const uint8_t *restrict dep_kind,
          const int32_t *restrict ring_head, const int64_t *restrict overlap_of, const int64_t *restrict bank_of,
          int in_order, int barriers, int coupled, int anti, int64_t floor, int reflow, double reflow_new,
          double reflow_old, struct state *restrict state, int64_t *restrict times, uint8_t *restrict cause,
          int32_t *restrict on, int64_t *restrict ready_at, int32_t *restrict ready_on)
{
    int64_t edge = state->edge_cursor;
    int64_t ring = state->ring_cursor;

    for (int64_t i = begin; i < end; i++) {
        const int kind = klass[i];
        const int line = lane[i];
        int64_t ready = 0;
        int64_t who = -1;

        for (uint32_t left = dep_count[i]; left; left--) {
            const int64_t producer = dep_on[edge];
            const int sort = dep_kind[edge];
            edge++;
            if (!anti && sort == ANTI)
                continue;
            int64_t time = times[2 * producer + (sort == ORDERED)];
            if (sort == ORDERED && (kind & EARLY_READY) && (klass[producer] & COLLECTIVE) && ready_at[producer] < time)
                time = ready_at[producer];
            if (time > ready) {
                ready = time;
                who = producer;
            }
        }
        if (kind & COLLECTIVE) {
            ready_at[i] = ready;
            ready_on[i] = (int32_t)who;
        }
        int64_t start = ready;
        int why = who >= 0 ? DEPENDENCY : NONE;

        if (line == ALL) {
            for (int k = 0; k < 5; k++) {
                const int other = barrier_lanes[k];
                if (barriers && state->lane_dispatch[other] > start) {
                    start = state->lane_dispatch[other];
                    why = BARRIER;
                    who = state->lane_last[other];
                }
            }
        } else if (in_order && state->lane_dispatch[line] > start) {
            start = state->lane_dispatch[line];
            why = ENGINE;
            who = state->lane_last[line];
        }

        if (kind & PSUM_WRITE) {
            int waits = bank_waits[i];
            if (waits == 0)
                waits = (1 << BANKS) - 1;
            while (waits) {
                const int64_t bank = bank_of[waits];
                waits &= waits - 1;
                if (state->bank_time[bank] > start) {
                    start = state->bank_time[bank];
                    why = PSUM_BANK;
                    who = state->bank_last[bank];
                }
            }
        }

        if (coupled) {
            if (line == DVE || line == POOL) {
                const int other = line == DVE ? POOL : DVE;
                if (state->lane_dispatch[other] > start) {
                    start = state->lane_dispatch[other];
                    why = BAND_COUPLING;
                    who = state->lane_last[other];
                }
            } else if (line == ACTIVATION) {
                for (int other = DVE; other; other = other == DVE ? POOL : 0) {
                    if (state->writer_end[other] > start) {
                        start = state->writer_end[other];
                        why = BAND_COUPLING;
                        who = state->writer_last[other];
                    }
                }
            }
        }

        if (kind & TRANSFER) {
            if (times[2 * i - 2] > start) {
                start = times[2 * i - 2];
                why = DEPENDENCY;
                who = i - 1;
            }
        } else if (floor > start) {
            start = floor;
            why = FLOOR;
            who = -1;
        }
        if (kind & RING_FULL) {
            const int64_t head = ring_head[ring];
            ring++;
            if (times[2 * head + 1] > start) {
                start = times[2 * head + 1];
                why = RING;
                who = head;
            }
        }

        int64_t cost = duration[i];
        if (reflow && (kind & COLLECTIVE) && line > ALL) {
            const int64_t alone = start + cost;
            for (int64_t other = 0; other < i; other++) {
                if (!(klass[other] & COLLECTIVE) || lane[other] <= ALL || lane[other] == line)
                    continue;
                const int64_t until = alone < times[2 * other] ? alone : times[2 * other];
                const int64_t since = times[2 * other] - duration[other];
                const int64_t overlap = until - (start > since ? start : since);
                if (overlap <= 0)
                    continue;
                const int64_t longer = (int64_t)(reflow_old * (double)overlap);
                cost += (int64_t)(reflow_new * (double)overlap);
                duration[other] += longer;
                times[2 * other] += longer;
                times[2 * other + 1] = times[2 * other];
                if (state->lane_last[lane[other]] == other) {
                    state->lane_end[lane[other]] = times[2 * other];
                    state->lane_dispatch[lane[other]] = times[2 * other];
                }
            }
            duration[i] = cost;
        }
        const int64_t finish = start + cost;
        const int64_t next_dispatch = finish - overlap_of[kind & WINDOW];
        times[2 * i] = kind & TRIGGER ? start : finish;
        times[2 * i + 1] = next_dispatch;
        cause[i] = (uint8_t)why;
        on[i] = (int32_t)who;

        state->lane_dispatch[line] = next_dispatch;
        state->lane_end[line] = finish;
        state->lane_last[line] = i;
        if (coupled && (kind & PSUM_WRITE) && cost > 0) {
            state->writer_end[line] = finish;
            state->writer_last[line] = i;
        }
        int sets = bank_sets[i];
        while (sets) {
            const int64_t bank = bank_of[sets];
            sets &= sets - 1;
            state->bank_time[bank] = next_dispatch;
            state->bank_last[bank] = i;
        }
    }
    state->edge_cursor = edge;
    state->ring_cursor = ring;
}
