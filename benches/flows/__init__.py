"""Many flows at once: simulated on the machine of a system, and beside it what fair sharing says (ADR-0061).

    from benches.flows.read import read_traffic          # a traffic file -> Traffic; InputError with all its faults
    from benches.flows.traffic import FlowOptions, FlowSpec, Traffic
    from benches.flows.run import run_traffic            # Traffic -> TrafficResult: the machine
    from benches.flows.lone import lone_durations        # Traffic -> what each flow takes with nobody else about
    from benches.flows.fair import fair, fair_by_ports   # Traffic -> FairResult: max-min; by router inputs, or why not
    from benches.flows.report import report_of           # Traffic -> FlowsReport, as `kernbench flows --json` has it

    flows = (FlowSpec("f0", "a", "b", 1 << 20), FlowSpec("f1", "c", "b", 4096, after=("f0",)))
    traffic = Traffic("two", system, flows)
    result = run_traffic(traffic)            # checked: every byte on every link, no link above 100 %
    result.flows[0].end_ticks                # Fraction, ps; .start_ticks int
    result.links["a", "b"].nbytes            # .busy_ns Fraction; result.makespan_ns Fraction
    fair(traffic).flows[0].end_ns            # float; .bottleneck ("a", "b") or None; .lost_ns {("a", "b"): ns}

``Traffic.options`` (default: those of the system) name the flit, the arbitration, the window and the buffers.
"""
