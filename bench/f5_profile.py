"""Where the device's time goes while some work runs: its kernels, and how long it had none."""

from collections import defaultdict
from collections.abc import Callable

import torch
from torch.autograd import DeviceType
from torch.profiler import ProfilerActivity, profile

TOP = 18


def device_profile(work: Callable[[], object], steps: int) -> dict[str, object]:
    """Of `work`, which does this many steps: microseconds and kernels a step, the kernels that take most first."""
    work()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as profiler:
        work()
        torch.cuda.synchronize()
    spans = sorted(
        (event.time_range.start, event.time_range.end, event.name)
        for event in profiler.events()
        if event.device_type == DeviceType.CUDA and not event.is_user_annotation
    )
    if not spans:
        return {"kernels_a_step": 0}
    by_name: dict[str, list[float]] = defaultdict(list)
    busy, gaps, reached = 0.0, [], spans[0][0]
    for start, end, name in spans:
        by_name[name].append(end - start)
        gaps.append(max(0.0, start - reached))
        busy += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    top = sorted(by_name.items(), key=lambda item: -sum(item[1]))[:TOP]
    return {
        "kernels_a_step": round(len(spans) / steps, 1),
        "busy_us_a_step": round(busy / steps, 1),
        "span_us_a_step": round((reached - spans[0][0]) / steps, 1),
        "longest_gaps_us": [round(gap, 1) for gap in sorted(gaps)[-5:]],
        "top": [
            {"us_a_step": round(sum(each) / steps, 1), "times": round(len(each) / steps, 1), "kernel": name[:110]}
            for name, each in top
        ],
    }
