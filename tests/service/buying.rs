//! How the servers of a service are bought, against sums by hand and against trying every base.

use super::{choice, figures, seller, serve, stage};
use plan::job::Purchase;
use plan::price::service::ServiceWay;
use plan::units::Money;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn money(text: &str) -> Money {
    Money::from_decimal(text).unwrap()
}

/// 10 a second from 0 to 12, 30 from 12 to 18, 20 from 18 to 24; one server does 10 a second, no head-room.
const DAY: &str = "profile = [10,10,10,10,10,10,10,10,10,10,10,10,30,30,30,30,30,30,20,20,20,20,20,20]\n\
                   measured = [{ on = \"cpu\", time = \"100ms\" }]\n";

fn by_hand(prices: &str, rest: &str) -> plan::plan::Plan {
    let catalog = seller(&[("cpu", 8, "", 0, prices)]);
    let text = format!(
        "[rules]\nserve_headroom = 0\n[[stage]]\nname = \"s\"\nkind = \"serve\"\nstartup = \"0s\"\n{DAY}{rest}"
    );
    super::planned(&text, &catalog)
}

#[test]
fn by_the_hour_the_servers_follow_the_day() {
    // 12 × 1 + 6 × 3 + 6 × 2 = 42 server hours a day × 365 ÷ 12 × 0.20 = 255.50; always on 3 × 0.20 × 730 = 438.
    let plan = by_hand("on_demand = 0.2", "");
    let service = figures(&plan);
    assert_eq!((choice(&plan).purchase, choice(&plan).expected_cost()), (Purchase::OnDemand, money("255.5")));
    assert_eq!(service.options.len(), 2);
    assert_eq!(service.range(), (1, 3));
    let idle = service.idle.unwrap();
    // 17.5 a second on average ÷ 10 = 1.75 servers busy, 42 ÷ 24 = 1.75 running: nothing idle.
    assert!(idle.share.abs() < 1e-9);
    assert_eq!(idle.scaling_saves, Some(money("182.5")));
    // 17.5 × 730 × 3,600 = 45.99 million requests.
    assert_eq!(service.per_million.unwrap().amount(), "5.56");
}

#[test]
fn a_start_is_paid_with_each_launch() {
    // Two servers are launched at 12 and released at 18 and at 24: two starts of half an hour a day more.
    let catalog = seller(&[("cpu", 8, "", 0, "on_demand = 0.2")]);
    let text = format!(
        "[rules]\nserve_headroom = 0\n[[stage]]\nname = \"s\"\nkind = \"serve\"\nstartup = \"30m\"\n{DAY}"
    );
    let plan = super::planned(&text, &catalog);
    // (42 + 1) × 365 ÷ 12 × 0.20 = 261.58.
    assert_eq!(choice(&plan).expected_cost(), money("261.58"));
}

#[test]
fn a_reserved_base_with_the_peak_by_the_hour() {
    // A month at 90 is worth more than 450 h: the first server (730 h) is, the second (365 h) and the third (182.5 h)
    // are not. 90 + (365 + 182.5) × 0.20 = 199.50.
    let plan = by_hand("on_demand = 0.2, month = 90, year = 600", "");
    let (own, service) = (choice(&plan), figures(&plan));
    assert_eq!((own.purchase, service.reserved), (Purchase::Month, 1));
    assert_eq!(own.expected_cost(), money("199.5"));
    assert_eq!(own.bill.lines().len(), 2);
    let options: Vec<(ServiceWay, Purchase, u32, &str)> = vec![
        (ServiceWay::Autoscaled, Purchase::OnDemand, 0, "255.50"),
        (ServiceWay::AlwaysOn, Purchase::OnDemand, 0, "438.00"),
        (ServiceWay::Reserved, Purchase::Month, 3, "270.00"),
        (ServiceWay::BaseAndPeak, Purchase::Month, 1, "199.50"),
        (ServiceWay::Reserved, Purchase::Year, 3, "150.00"),
        // At 50 a month two servers are worth it (250 h): 100 + 182.5 × 0.20.
        (ServiceWay::BaseAndPeak, Purchase::Year, 2, "136.50"),
    ];
    let found: Vec<(ServiceWay, Purchase, u32, String)> =
        service.options.iter().map(|o| (o.way, o.purchase, o.reserved, o.month.amount())).collect();
    let found: Vec<_> = found.iter().map(|(w, p, n, m)| (*w, *p, *n, m.as_str())).collect();
    assert_eq!(found, options);
    // A year is shown and not taken.
    assert!(
        stage(&plan)
            .alternatives
            .iter()
            .any(|a| { (a.choice.purchase, a.choice.expected_cost()) == (Purchase::Year, money("136.5")) })
    );
    // A pinned month is all of it.
    let pinned = by_hand("on_demand = 0.2, month = 90", "purchase = \"month\"\n");
    assert_eq!((choice(&pinned).expected_cost(), figures(&pinned).reserved), (money("270"), 3));
}

#[test]
fn an_idle_share_has_its_price() {
    // Always 3 servers by the month: 17.5 of 30 a second used, 41.67 % idle of 270.
    let pinned = by_hand("on_demand = 0.2, month = 90", "purchase = \"month\"\n");
    let idle = figures(&pinned).idle.unwrap();
    assert!((idle.share - 12.5 / 30.0).abs() < 1e-9);
    assert_eq!(idle.cost, money("112.5"));
    let hours = &figures(&pinned).hours;
    assert!((hours[0].utilisation - 1.0 / 3.0).abs() < 1e-9 && hours[0].servers == 3);
    assert!((hours[12].utilisation - 1.0).abs() < 1e-9);
}

/// A service that is the same around the clock has nothing to scale: by the hour or by the month, as before.
#[test]
fn a_flat_day_is_no_day() {
    let catalog = seller(&[("cpu", 8, "", 0, "on_demand = 0.2, month = 140")]);
    let flat = serve("requests_per_second = 100\nmeasured = [{ on = \"cpu\", time = \"95ms\" }]", &catalog);
    let day = format!("profile = {:?}\nmeasured = [{{ on = \"cpu\", time = \"95ms\" }}]", [100; 24]);
    let day = serve(&day, &catalog);
    assert_eq!(choice(&flat).expected_cost(), money("1820"));
    assert_eq!(choice(&day).expected_cost(), money("1820"));
    assert_eq!(figures(&day).options, figures(&flat).options);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_260_101),
        ..ProptestConfig::default()
    })]

    /// The best base is the best of all bases, tried one by one: in each hour the reserved servers run and what is
    /// missing is bought by the hour, each launch with 12 minutes of start-up.
    #[test]
    fn no_other_base_is_cheaper(day in prop::array::uniform24(0u32..400), hourly in 10u32..300, month in 10u32..300) {
        prop_assume!(day.iter().any(|rate| *rate > 0));
        let (price, term) = (f64::from(hourly) / 100.0, f64::from(month) / 100.0 * 730.0);
        let catalog = seller(&[("cpu", 8, "", 0, &format!("on_demand = {price}, month = {term:.2}"))]);
        let rest = format!("startup = \"12m\"\nprofile = {day:?}\nmeasured = [{{ on = \"cpu\", time = \"100ms\" }}]");
        let plan = serve(&rest, &catalog);
        let service = figures(&plan);
        let needs: Vec<u32> = day.iter().map(|rate| (rate * 13).div_ceil(100).max(1)).collect();
        let cost = |base: u32| {
            let above: Vec<u32> = needs.iter().map(|n| n.saturating_sub(base)).collect();
            let hours: u32 = above.iter().sum();
            let starts: u32 = (0..24).map(|h| above[h].saturating_sub(above[(h + 23) % 24])).sum();
            f64::from(base) * (term * 100.0).round() / 100.0 + (f64::from(hours) + f64::from(starts) * 0.2) * price * 365.0 / 12.0
        };
        let most = *needs.iter().max().unwrap();
        let best = (0..=most).map(cost).fold(f64::INFINITY, f64::min);
        let found = choice(&plan).expected_cost().as_f64();
        prop_assert!((found - best).abs() < 0.02, "{found} is not {best}");
        prop_assert!((cost(service.reserved) - found).abs() < 0.02);
        prop_assert_eq!(service.servers, most);
    }
}
